import Bulla
import BullaTestSupport
import Testing

/// The cost of a stretch of work, which is the same on every machine.
struct Cost: Equatable {
    /// Pages opened, or verified in place.
    var opened = 0
    /// Pages sealed and written.
    var sealed = 0
    /// Bytes of those pages.
    var pageBytes = 0
    /// Calls to files by kind, and the bytes of all writes.
    var files = CallCounter.Count()

    static let nothing = Cost()
}

/// A store of equal records that counts all its calls to files.
final class CountedStore {
    static let tree = "records"
    static let value = [UInt8](repeating: 0x56, count: 100)

    /// The calls of the first read after opening: it takes a reader slot, asks for the file's
    /// length, and maps the file.
    static let firstCalls: [FileCall: Int] = [.lock: 1, .byteCount: 1, .map: 1]

    let kind: StoreKind
    let recordCount: Int
    private let cacheByteLimit: Int
    private let scratch: Scratch
    private let counter = CallCounter()
    private(set) var store: Store

    init(
        _ kind: StoreKind, recordCount: Int = 10_000,
        cacheByteLimit: Int = StoreOptions().cacheByteLimit, logHalfByteCount: UInt64? = nil
    ) throws {
        self.kind = kind
        self.recordCount = recordCount
        self.cacheByteLimit = cacheByteLimit
        scratch = try Scratch()
        store = try kind.open(scratch.path("counted.bulla"), pageByteCount: 4096) {
            if let logHalfByteCount { $0.fixLog(halfByteCount: logHalfByteCount) }
        }
        try put(0..<recordCount)
        try reopen()
    }

    /// A key of 23 bytes; keys sort in the order of their numbers.
    static func key(_ number: Int) -> [UInt8] {
        let digits = String(number)
        return Array(("record" + String(repeating: "0", count: 17 - digits.count) + digits).utf8)
    }

    /// Writes the records with these numbers in one commit.
    func put(_ numbers: Range<Int>, _ durability: Durability = .full) throws {
        try store.write(durability: durability) { change in
            let tree = try change.openOrCreateTree(named: Self.tree)
            for number in numbers { try change.put(Self.value, forKey: Self.key(number), in: tree) }
        }
    }

    /// Deletes the records of about two of every three successive leaves.
    func thinOut() throws {
        let step = 100
        try store.write { change in
            let tree = try change.tree(named: Self.tree)
            for first in stride(from: 0, to: recordCount, by: step) {
                let range = KeyRange.from(
                    Self.key(first + step / 3), upTo: Self.key(first + step))
                try change.deleteRange(range, in: tree)
            }
        }
    }

    /// Closes the store and opens it again, so that no page is open.
    func reopen() throws {
        try store.close()
        store = try open()
    }

    /// Opens the store once more.
    func open(_ access: StoreOptions.Access = .readWrite) throws -> Store {
        var options = StoreOptions()
        options.access = access
        options.suite = kind.suite
        options.cacheByteLimit = cacheByteLimit
        return try Store.open(
            at: scratch.path("counted.bulla"), key: try kind.key(), options: options,
            storage: counter.storage)
    }

    /// Runs `body`, and returns its cost.
    func cost(_ body: (Store) throws -> Void) throws -> Cost {
        let before = try store.statistics
        let files = try files { try body(store) }
        let after = try store.statistics
        return Cost(
            opened: after.openedPageCount - before.openedPageCount,
            sealed: after.sealedPageCount - before.sealedPageCount,
            pageBytes: after.writtenByteCount - before.writtenByteCount, files: files)
    }

    /// The cost of a read in a snapshot of its own.
    func readCost(_ body: (borrowing Snapshot, Tree) throws -> Void) throws -> Cost {
        try cost { store in
            try store.read { snapshot in try body(snapshot, try snapshot.tree(named: Self.tree)) }
        }
    }

    func files(_ body: () throws -> Void) rethrows -> CallCounter.Count {
        try counter.count(body)
    }

    /// The number of pages that the newest commit reaches, counted by an independent walk: the
    /// catalog's single page, and those of the tree.
    func reachedPageCount() throws -> Int {
        let report = try store.check()
        try #require(report.isSound)
        return report.verifiedPageCount
    }
}
