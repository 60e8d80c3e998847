import Bulla
import BullaTestSupport
import Dispatch
import Synchronization
import Testing

/// A store with records, which several stores of this process open with one page pool.
///
/// They share the pool as several processes do: each has a worker's line, and answers for itself.
struct PooledStore {
    static let recordCount = 20_000
    static let tree = "records"
    let scratch: Scratch
    let path: String

    init() throws {
        scratch = try Scratch()
        path = scratch.path("s.bulla")
        let store = try StoreKind.gcm.open(path)
        try Self.write(store, version: 0, 0..<Self.recordCount)
        try store.close()
    }

    static func key(_ index: Int) -> [UInt8] { Array("key \(index)".utf8) }

    static func value(_ index: Int, _ version: Int = 0) -> [UInt8] {
        Array("value \(index) \(version) ".utf8) + [UInt8](repeating: 7, count: 200)
    }

    static func write(_ store: Store, version: Int, _ indices: Range<Int>) throws {
        try store.write { change in
            let tree = try change.openOrCreateTree(named: tree)
            for index in indices {
                try change.put(value(index, version), forKey: key(index), in: tree)
            }
        }
    }

    func open(
        _ pool: Int32, _ adjust: (inout StoreOptions) -> Void = { _ in }
    ) throws -> Store {
        try StoreKind.gcm.open(path) { options in
            options.pagePool = pool
            // The smallest cache, so that pages lie in the pool or nowhere.
            options.cacheByteLimit = 0
            adjust(&options)
        }
    }

    /// Expects every record in its version: the one that `versions` gives, or 0 if `versions` gives
    /// none.
    func expectAll(
        _ store: Store, _ versions: [Int: Int] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try store.read { snapshot in
            let tree = try snapshot.tree(named: Self.tree)
            for index in 0..<Self.recordCount {
                let value = try snapshot.value(forKey: Self.key(index), in: tree)
                guard value != Self.value(index, versions[index] ?? 0) else { continue }
                Issue.record("record \(index) is wrong", sourceLocation: sourceLocation)
                return
            }
        }
    }

    /// Runs `body` on several threads at once, with the number of each.
    ///
    /// With few processors, the threads with the highest numbers begin only after others have
    /// ended. So no thread may wait for one with a higher number.
    func withThreads(count: Int, _ body: @Sendable (Int) throws -> Void) {
        let failures = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: count) { number in
            do { try body(number) } catch { failures.withLock { $0.append("\(error)") } }
        }
        #expect(failures.withLock { $0 } == [])
    }
}
