internal import BullaMemory

/// Stores values that arrive in parts.
extension WriteTransaction {
    /// Stores a value of any length that arrives in parts, and takes little memory for it: 24 bytes
    /// for each page of the value.
    ///
    /// - Parameters:
    ///   - key: the key, whose former value is replaced.
    ///   - tree: the tree of the key.
    ///   - body: calls `write` with the parts in order. If `body` throws, the key keeps its former
    ///     value.
    /// - Throws: what `body` throws; what `write` threw, even if `body` ignored it; `keyTooLarge`
    ///   if the key is empty or longer than a quarter of a page; `valueTooLarge` above 4 GiB - 1;
    ///   what every change throws (``WriteTransaction``).
    public mutating func putStream(
        forKey key: some ByteSource, in tree: Tree,
        _ body: (_ write: (RawSpan) throws(BullaError) -> Void) throws -> Void
    ) throws {
        try key.withBytes { key in
            try key.withView { key in try putStream(key, in: tree, body) }
        }
    }

    /// Stores a value that arrives in parts, under a key that lies in the engine's own memory.
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

/// The bytes of a value that is still short enough for the log; they are wiped when this is
/// destroyed.
private final class LoggedStart {
    /// A value longer than this goes to pages of its own.
    private static let byteLimit = 64 << 10

    private let buffer: ScratchBuffer
    private var count = 0

    init() throws(BullaError) { buffer = try Buffer.make(Self.byteLimit) }

    deinit { buffer.wipe() }

    var value: ByteView { buffer.bytes.view.slice(0, count) }

    /// - Returns: `false`, without taking anything, if there is no room.
    func append(_ part: RawSpan) -> Bool {
        guard part.byteCount <= Self.byteLimit - count else { return false }
        part.withView { buffer.bytes.copy($0, to: count) }
        count += part.byteCount
        return true
    }
}

/// Takes a value part by part: keeps it for the log while it is short enough, and moves it into
/// pages once it is too long for that.
private struct StreamedValue: ~Copyable {
    /// All bytes so far; `nil` once they go into pages.
    private(set) var start: LoggedStart?
    private var input: ValueInput<ChangedPages>?
    /// The first error from taking a part or from ending the value.
    private(set) var failure: BullaError?

    init(_ start: LoggedStart?) { self.start = start }

    /// Takes the parts that a caller's closure writes.
    ///
    /// - Parameter turn: the transaction, which goes direct (``WriterTurn``) if the value is too
    ///   long for the log.
    mutating func take(
        _ body: (_ write: (RawSpan) throws(BullaError) -> Void) throws -> Void,
        of turn: borrowing WriterTurn
    ) throws {
        try body { part throws(BullaError) in
            // Later parts cannot make up for a missing one.
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

    /// Ends the value: no more parts follow.
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
