import Bulla
import BullaProcessSupport
import BullaTestSupport
import Testing

/// A store in its own folder, which this process and its workers open.
struct TestStore {
    static let name = "store.bulla"
    /// The largest growth of a small file.
    static let growthChunk = 4 << 20

    let kind: StoreKind
    let scratch: Scratch
    /// The page pool that this process and its workers share; `nil` if they share none.
    let pool: PoolOwner?

    init(_ kind: StoreKind, pool: PoolOwner? = nil) throws {
        self.kind = kind
        self.pool = pool
        scratch = try Scratch()
    }

    var path: String { scratch.path(Self.name) }
    var byteCount: Int { get throws { try scratch.byteCount(Self.name) } }

    func open(_ adjust: (inout StoreOptions) -> Void = { _ in }) throws -> Store {
        var options = StoreOptions()
        options.suite = kind.suite
        options.cacheByteLimit = 32 << 20
        options.lockTimeout = TestMode.patience
        options.pagePool = pool?.descriptor
        adjust(&options)
        return try Store.open(at: path, key: try key(), options: options)
    }

    func key() throws -> StoreKey? { try kind.key() }

    /// Starts a worker on this store.
    func worker(_ job: String, _ values: String...) throws -> WorkerProcess {
        try worker(job, values)
    }

    /// Starts a worker on this store.
    func worker(
        _ job: String, _ values: [String], launcher: [String] = []
    ) throws -> WorkerProcess {
        try WorkerProcess(
            [job, "path=\(path)"] + values, key: kind == .plain ? nil : StoreKind.keyBytes,
            pool: pool?.descriptor, errors: scratch.path("errors"), launcher: launcher)
    }

    /// Starts a worker that obeys orders; it has nothing open yet.
    func obedient(_ values: String...) throws -> WorkerProcess {
        let worker = try worker("obey", values)
        _ = try worker.values()
        return worker
    }

    /// The size of a dense copy of the store's content.
    func denseByteCount(_ store: Store) throws -> Int {
        let copy = scratch.path("dense.bulla")
        try store.compact(to: copy, key: try key())
        let byteCount = try scratch.byteCount("dense.bulla")
        try scratch.remove("dense.bulla")
        return byteCount
    }

    /// Expects the file to be at most `times` as long as a dense copy, plus one growth, its log,
    /// and the place where the log was before it doubled.
    func expectBounded(
        _ store: Store, times: Int = 4, allowance: Int = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let dense = try denseByteCount(store)
        let byteCount = try byteCount
        let logByteCount = 2 * (try store.info.log.byteCount)
        #expect(
            byteCount <= times * dense + Self.growthChunk + logByteCount + allowance,
            "the file has \(byteCount) bytes, a dense copy \(dense)", sourceLocation: sourceLocation
        )
    }

    /// Expects every page to be whole, and to belong to exactly one thing.
    func expectSound(
        _ store: Store, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let report = try store.check()
        #expect(
            report.isSound, "\(report.defects.prefix(3))", sourceLocation: sourceLocation)
    }
}

/// Owns a page pool, so that values that refer to the pool can be copied.
final class PoolOwner: Sendable {
    private let pool: PagePool

    init(byteCount: Int) throws { pool = try PagePool(byteCount: byteCount) }

    var descriptor: Int32 { pool.descriptor }
    var memory: PoolMemory { PoolMemory(descriptor: descriptor) }
}
