package import Bulla
import BullaTestSupport

/// Executes each line of its input as an order on a store, and answers it with a line.
///
/// The answer is `done=<number>`, or `refused=<code>` if the store threw an error.
struct ObeyJob: ~Copyable {
    private let command: WorkerCommand
    private let key: StoreKey?
    private var store: Store?
    private var change: WriteTransaction?

    init(_ command: WorkerCommand) throws {
        self.command = command
        key = try command.takeKey()
    }

    mutating func run() throws {
        Line.say("ready")
        while let line = Line.next() {
            guard let order = WorkerOrder(rawValue: line) else {
                throw WorkerFailure(exit: .badCommand, message: "the order \(line) is not known")
            }
            do { Line.say("done", try obey(order)) } catch let error as BullaError {
                Line.say("refused", error.code.number)
                Line.complain("\(order): \(error)")
            }
        }
    }

    private mutating func obey(_ order: WorkerOrder) throws -> UInt64 {
        switch order {
        case .open: store = try openStore()
        case .close:
            try opened().close()
            store = nil
        case .read: return try opened().read(visibility: .published) { try $0.digestOfAll() }
        case .write: return try Bump.write(to: opened())
        case .fill: try Bump.fill(opened())
        case .beginWrite: change = try opened().beginWrite()
        case .endWrite: change = nil
        case .fork: return try ForkedChild.tell(opened(), isStaying: false)
        case .forkAndStay: return try ForkedChild.tell(opened(), isStaying: true)
        case .forkAndOpen:
            return try ForkedChild.tellOpening(own: { try StoreKey(StoreKind.keyBytes) }) { child in
                try command.openStore(child ?? key).close()
            }
        case .forkInSavepoint: return try ForkedChild.tellInSavepoint(opened())
        case .forkInScan: return try ForkedChild.tellInScan(opened())
        case .fillForScan: try ForkedChild.fillForScan(opened())
        case .forkWithoutFiles:
            return try ForkedChild.tell(opened(), isStaying: true, mayOpenFiles: false)
        }
        return 0
    }

    /// Opens the store; if `stop` names a point, the process stops itself there.
    private func openStore() throws -> Store {
        let point = command.text("stop").flatMap { KillPoint($0) }
        guard let point else { return try command.openStore(key) }
        return try command.openStore(key, storage: KillingStorage(point, isStopping: true))
    }

    private func opened() throws -> Store {
        guard let store else {
            throw WorkerFailure(exit: .badCommand, message: "there is no open store")
        }
        return store
    }
}

/// The orders that a worker understands.
package enum WorkerOrder: String, Sendable {
    case open, close
    /// Returns the digest of everything.
    case read
    /// Increments a number, and returns it.
    case write
    /// Makes the store a little larger.
    case fill
    case beginWrite = "begin-write"
    case endWrite = "end-write"
    /// Returns the codes that a forked child gets when it reads and when it writes.
    case fork
    /// Does the same as `fork`, but the child lives on until its input ends.
    case forkAndStay = "fork-and-stay"
    /// Returns the code of a forked child that continues the change during which it was forked.
    case forkInSavepoint = "fork-in-savepoint"
    /// Returns the code of a forked child that continues the scan during which it was forked.
    case forkInScan = "fork-in-scan"
    /// Makes the tree for `forkInScan`.
    case fillForScan = "fill-for-scan"
    /// Returns the codes of a forked child that opens the store: a hundred times the code with its
    /// parent's key, plus the one with a key of its own.
    case forkAndOpen = "fork-and-open"
    /// Does the same as `forkAndStay`, with a child that cannot open any file.
    case forkWithoutFiles = "fork-without-files"
}

extension BullaError.Code {
    /// The code as a number, beginning with 1.
    package var number: Int { (Self.all.firstIndex(of: self) ?? -1) + 1 }

    /// The code that a worker reported as a number; `nil` for 0.
    package init?(number: UInt64) {
        guard number >= 1, number <= Self.all.count else { return nil }
        self = Self.all[Int(number) - 1]
    }
}

extension TreeReader where Self: ~Copyable {
    /// The digest of all entries of all trees.
    package func digestOfAll() throws -> UInt64 {
        var digest = EntryDigest()
        try forEachTree { _, tree in
            try scan(tree) { key, value in
                digest.add(key, value)
                return .next
            }
        }
        return digest.sum
    }
}

/// A number that every write increments.
package enum Bump {
    package static let tree = "bumped"
    private static let key = "number"

    /// Returns the new number.
    @discardableResult
    package static func write(to store: Store) throws -> UInt64 {
        try store.write { try write(&$0) }
    }

    /// Adds an entry of many pages.
    static func fill(_ store: Store) throws {
        try store.write { change in
            let number = try write(&change)
            let value = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 100_000)
            try change.put(
                value, forKey: "entry \(number)", in: try change.openOrCreateTree(named: "filling"))
        }
    }

    private static func write(_ change: inout WriteTransaction) throws -> UInt64 {
        let tree = try change.openOrCreateTree(named: Self.tree)
        let number = try change.number(Self.key, in: tree) + 1
        try change.put(number.bytes, forKey: Self.key, in: tree)
        return number
    }
}
