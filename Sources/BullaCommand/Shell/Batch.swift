internal import Bulla
internal import BullaText

/// The lines of a batch, to be applied in one transaction.
struct Batch {
    /// How many bytes are read before the transaction begins, so that other writers do not wait for
    /// a slow input.
    private static let aheadByteLimit = 16 << 20
    /// The approximate memory in bytes that a line takes in addition to its text.
    private static let lineByteCount = 256
    /// How many lines are applied between two checks for an interrupt.
    private static let lookInterval = 256

    /// The answer of the command.
    struct Summary: Encodable {
        /// Lines that asked for a change, even if it had no effect.
        var changes = 0
        /// Entries that were deleted.
        var deleted = 0
        /// Deletions of a key that did not exist.
        var missing = 0

        var text: String {
            Quantity.count(changes, "change") + ", "
                + Quantity.count(deleted, "entry", "entries") + " deleted"
                + (missing > 0 ? ", " + Quantity.count(missing, "key") + " not there" : "")
        }
    }

    private struct Line {
        let number: Int
        /// The approximate memory that the line takes, in bytes.
        let byteCount: Int
        let change: TreeChange
    }

    private let input: ByteReader
    private let store: String
    private var parser = StatementParser(isBatch: true)
    private var ahead: [Line] = []
    private var isAtEnd = false
    private(set) var summary = Summary()

    /// - Parameter store: the store, for messages.
    init(_ input: ByteReader, store: String) {
        self.input = input
        self.store = store
    }

    /// Reads lines until they take `aheadByteLimit` bytes, or until the input ends.
    mutating func readAhead() throws {
        var byteCount = 0
        while byteCount < Self.aheadByteLimit, let line = try next() {
            byteCount += line.byteCount
            ahead.append(line)
        }
    }

    /// Makes the changes of all lines: those that were read ahead, and then the rest of the input.
    mutating func apply(to transaction: inout WriteTransaction) throws {
        for line in ahead { try apply(line, to: &transaction) }
        ahead = []
        while let line = try next() { try apply(line, to: &transaction) }
    }

    private mutating func apply(
        _ line: Line, to transaction: inout WriteTransaction
    ) throws {
        if summary.changes.isMultiple(of: Self.lookInterval) { try Signals.check() }
        do {
            let deleted = try line.change.apply(to: &transaction, of: store)
            summary.changes += 1
            summary.deleted += deleted
            if case .delete = line.change, deleted == 0 { summary.missing += 1 }
        } catch let error as BullaError where Self.isAboutLine(error) {
            let exit: CommandExit? = error.code == .treeExists ? nil : .data
            throw CommandError(error, as: exit, at: place(line.number))
        } catch var error as CommandError {
            error.message = place(line.number) + ": " + error.message
            throw error
        }
    }

    private static func isAboutLine(_ error: BullaError) -> Bool {
        [.keyTooLarge, .valueTooLarge, .invalidArgument, .treeExists].contains(error.code)
    }

    private func place(_ number: Int) -> String { "\(input.file.name): line \(number)" }

    /// The next line with a change; `nil` at the end of the input.
    private mutating func next() throws -> Line? {
        while !isAtEnd {
            guard let line = try input.line(at: 0) else {
                isAtEnd = true
                break
            }
            try input.check(line)
            let number = input.line
            let statement: Statement?
            do { statement = try parser.parse(input[0..<line.end]) } catch let fault {
                throw input.failure(fault.message)
            }
            input.advance(past: line.next, lines: 1)
            switch statement {
            case .change(let change):
                return Line(
                    number: number, byteCount: line.end + Self.lineByteCount, change: change)
            case .use(let tree): parser.current = tree
            default: break
            }
        }
        return nil
    }
}
