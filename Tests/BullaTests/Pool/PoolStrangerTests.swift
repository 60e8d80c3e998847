import Bulla
import BullaTestSupport
import Testing

@Suite struct `A page pool's memory` {
    private let files: PooledStore

    init() throws { files = try PooledStore() }

    @Test func `holds plaintext until its last worker leaves, and nothing afterwards`() throws {
        let pool = try PagePool(byteCount: 64 << 20)
        let memory = PoolMemory(descriptor: pool.descriptor)
        let (one, other) = (try files.open(pool.descriptor), try files.open(pool.descriptor))
        let record = PooledStore.value(1234, 0)
        #expect(!memory.contains(record))
        try files.expectAll(one)
        #expect(memory.contains(record))
        try one.close()
        #expect(memory.contains(record))
        #expect(refusal { try one.read { _ in } }?.code == .closed)
        try other.close()
        #expect(!memory.holdsAnything)
        let last = try files.open(pool.descriptor)
        try files.expectAll(last)
        #expect(memory.contains(record))
        try last.close()
        #expect(!memory.holdsAnything)
    }

    @Test(arguments: TestMode.seeds(4))
    func `whose words hold anything costs errors, but no trap and no endless loop`(
        seed: UInt64
    ) throws {
        let pool = try PagePool(byteCount: 1 << 20)
        let memory = PoolMemory(descriptor: pool.descriptor)
        let stores = try (0..<2).map { _ in try files.open(pool.descriptor) }
        try files.expectAll(stores[0])
        let rounds = TestMode.pick(short: 20, long: 400)
        files.withThreads(count: 3) { number in
            var random = TestRandom(seed: seed &* 3 &+ UInt64(number))
            for _ in 0..<rounds {
                if number == 2 {
                    for _ in 0..<200 { Self.scribble(memory, &random) }
                } else {
                    Self.readAnything(stores[number], &random)
                }
            }
        }
        for store in stores { try? store.close() }
    }

    /// Overwrites a word: usually one of the pool's own, sometimes one of a page.
    private static func scribble(_ memory: PoolMemory, _ random: inout TestRandom) {
        let values: [UInt64] = [
            0, 1, .max, random.next(), 1 << 62, 1 << 63, 3 << 62, random.next() | 1 << 62,
            UInt64(random.below(100_000)), 1 << 63 | UInt64(random.below(300)),
        ]
        let frame = (2 << 20) + random.below(512) * 4096
        let offset =
            switch random.below(4) {
            case 0: random.below(4096 / 8) * 8
            case 1: 4096 + random.below(2 * 2048 / 8) * 8
            case 2: frame + random.below(4) * 8
            default: frame + random.below(512) * 8
            }
        let word = random.pick(values)
        memory.write((0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }, at: offset)
    }

    /// Reads, and accepts any value and any error of the store.
    private static func readAnything(_ store: Store, _ random: inout TestRandom) {
        do throws(BullaError) {
            let snapshot = try store.makeSnapshot()
            let tree = try snapshot.tree(named: PooledStore.tree)
            for _ in 0..<100 {
                let index = random.below(PooledStore.recordCount)
                _ = try snapshot.value(forKey: PooledStore.key(index), in: tree)
            }
            _ = try snapshot.last(in: tree)
        } catch {
            // Any error will do, as long as it is thrown.
        }
    }
}
