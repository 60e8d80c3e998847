internal import BullaMemory

/// Values that come part by part.
extension WriteTransaction {
    /// Stores a value of any length that comes part by part, in little memory: 24 bytes a page.
    ///
    /// - Parameters:
    ///   - key: gets the value, in place of whatever it had.
    ///   - tree: where the key is.
    ///   - body: calls `write` with the parts in their order. When it throws, the key keeps what it
    ///     had.
    /// - Throws: what `body` throws; what `write` threw, though `body` took no notice;
    ///   `keyTooLarge` when the key is empty or longer than a quarter of a page; `valueTooLarge`
    ///   above 4 GiB - 1; what every change throws (``WriteTransaction``).
    public mutating func putStream(
        forKey key: some ByteSource, in tree: Tree,
        _ body: (_ write: (RawSpan) throws(BullaError) -> Void) throws -> Void
    ) throws {
        try key.withBytes { key in
            try key.withView { key in try putStream(key, in: tree, body) }
        }
    }

    /// The same for a key that lies in memory of the engine's.
    mutating func putStream(
        _ key: ByteView, in tree: Tree,
        _ body: (_ write: (RawSpan) throws(BullaError) -> Void) throws -> Void
    ) throws {
        _ = try access.root(tree)
        try Limits.checkKey(key, access.pager.format, of: access.core.parts.path)
        var stream = StreamedValue(turn.changes.direct == nil ? try LoggedStart() : nil)
        do { try stream.take(body, of: turn) } catch {
            stream.abandon()
            if let failure = stream.failure, failure.code != .valueTooLarge { turn.isBroken = true }
            throw error
        }
        if let start = stream.start {
            return try key.withSpan { key in
                try start.value.withSpan { value in try put(value, forKey: key, in: tree) }
            }
        }
        try turn.change { changes throws(BullaError) in
            precondition(changes.direct != nil, "pages are changed now")
            try stream.finish(tree.index, key)
        }
    }
}

/// The first bytes of a value that the log may still say; wiped when it goes away.
private final class LoggedStart {
    /// A value that is longer lies in pages of its own.
    private static let byteLimit = 64 << 10

    private let buffer: ScratchBuffer
    private var count = 0

    init() throws(BullaError) { buffer = try Buffer.make(Self.byteLimit) }

    deinit { buffer.wipe() }

    var value: ByteView { buffer.bytes.view.slice(0, count) }

    /// - Returns: `false`, and nothing is taken, where there is no room.
    func append(_ part: RawSpan) -> Bool {
        guard part.byteCount <= Self.byteLimit - count else { return false }
        part.withView { buffer.bytes.copy($0, to: count) }
        count += part.byteCount
        return true
    }
}

/// A value that comes part by part: kept for the log as long as it is short, then put into pages.
private struct StreamedValue: ~Copyable {
    /// All that came so far; `nil` where pages take it.
    private(set) var start: LoggedStart?
    private var input: ValueInput<ChangedPages>?
    /// Why a part could not be taken.
    private(set) var failure: BullaError?

    init(_ start: LoggedStart?) { self.start = start }

    /// Takes the parts that a caller's closure writes.
    ///
    /// - Parameter turn: changes pages from here on, where the value is too long for the log.
    mutating func take(
        _ body: (_ write: (RawSpan) throws(BullaError) -> Void) throws -> Void,
        of turn: borrowing WriterTurn
    ) throws {
        try body { part throws(BullaError) in
            // Parts that follow cannot make up for one that is missing.
            if let failure { throw failure }
            do throws(BullaError) { try append(part, turn) } catch {
                failure = error
                throw error
            }
        }
        if let failure { throw failure }
        do throws(BullaError) { try settle(turn) } catch {
            failure = error
            throw error
        }
    }

    private mutating func append(
        _ part: RawSpan, _ turn: borrowing WriterTurn
    ) throws(BullaError) {
        if let start, start.append(part) { return }
        try spill(turn)
        try input?.append(part)
    }

    /// Takes no more parts.
    private mutating func settle(_ turn: borrowing WriterTurn) throws(BullaError) {
        if start == nil { try spill(turn) }
        try input?.settle()
    }

    private mutating func spill(_ turn: borrowing WriterTurn) throws(BullaError) {
        if input == nil { input = try ValueInput(try turn.directChange().pages) }
        guard let start = start.take() else { return }
        try start.value.withSpan { value throws(BullaError) in try input?.append(value) }
    }

    mutating func abandon() { input?.abandon() }

    mutating func finish(_ tree: Int, _ key: ByteView) throws(BullaError) {
        try input?.finish(tree, key)
    }
}
