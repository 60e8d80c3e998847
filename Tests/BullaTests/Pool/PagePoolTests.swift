import Bulla
import BullaTestSupport
import Foundation
import Synchronization
import Testing

@Suite struct `A page pool` {
    private let files: PooledStore

    init() throws { files = try PooledStore() }

    @Test func `has a page opened once, for all workers`() throws {
        let pool = try PagePool(byteCount: 64 << 20)
        let (one, other) = (try files.open(pool.descriptor), try files.open(pool.descriptor))
        try files.expectAll(one)
        #expect(try one.statistics.openedPageCount > 400)
        let before = try other.statistics.openedPageCount
        try files.expectAll(other)
        #expect(try other.statistics.openedPageCount - before < 10)
        // Scans find the pages, too.
        let count = try other.read { try $0.count(of: $0.tree(named: PooledStore.tree)) }
        #expect(count == PooledStore.recordCount)
        var seen = 0
        try other.read { snapshot in
            try snapshot.scan(try snapshot.tree(named: PooledStore.tree)) { _, _ in
                seen += 1
                return .next
            }
        }
        #expect(seen == PooledStore.recordCount)
        #expect(try other.statistics.openedPageCount - before < 10)
        try one.close()
        try files.expectAll(other)
        try other.close()
    }

    @Test func `that holds less than the store still gives right pages`() throws {
        let pool = try PagePool(byteCount: 1 << 20)
        let (one, other) = (try files.open(pool.descriptor), try files.open(pool.descriptor))
        for store in [one, other, one, other] { try files.expectAll(store) }
        try one.close()
        try files.expectAll(other)
        try other.close()
    }

    @Test func `keeps what a closure reads while other workers evict everything else`() throws {
        let pool = try PagePool(byteCount: 1 << 20)
        let (one, other) = (try files.open(pool.descriptor), try files.open(pool.descriptor))
        try files.expectAll(other)
        try one.read { snapshot in
            let tree = try snapshot.tree(named: PooledStore.tree)
            let key = PooledStore.key(777)
            let isThere: Void? = try snapshot.withValue(forKey: key, in: tree) { value in
                let before = [UInt8](copying: value)
                for _ in 0..<4 { try files.expectAll(other) }
                let after = [UInt8](copying: value)
                #expect(before == PooledStore.value(777) && after == before)
            }
            #expect(isThere != nil)
        }
        try one.close()
        try other.close()
    }

    @Test func `serves snapshots, a writer and readers at once while pages are evicted`() throws {
        let pool = try PagePool(byteCount: 1 << 20)
        let writer = try files.open(pool.descriptor)
        let readers = try (0..<3).map { _ in try files.open(pool.descriptor) }
        let held = try readers[0].makeSnapshot()
        let isDone = Atomic(false)
        let wrong = Atomic(0)
        files.withThreads(count: 4) { number in
            guard number > 0 else {
                for version in 1...12 {
                    let first = version * 1500
                    try PooledStore.write(writer, version: version, first..<first + 1500)
                }
                isDone.store(true, ordering: .releasing)
                return
            }
            var random = TestRandom(seed: number)
            repeat {
                try readers[number - 1].read { snapshot in
                    let tree = try snapshot.tree(named: PooledStore.tree)
                    for _ in 0..<500 {
                        let index = random.below(PooledStore.recordCount)
                        let value = try snapshot.value(forKey: PooledStore.key(index), in: tree)
                        let versions = [0, index / 1500]
                        if !versions.contains(where: { value == PooledStore.value(index, $0) }) {
                            wrong.wrappingAdd(1, ordering: .relaxed)
                        }
                    }
                }
            } while !isDone.load(ordering: .acquiring)
        }
        #expect(wrong.load(ordering: .relaxed) == 0)
        let tree = try held.tree(named: PooledStore.tree)
        for index in 0..<PooledStore.recordCount {
            let value = try held.value(forKey: PooledStore.key(index), in: tree)
            if value != PooledStore.value(index, 0) { Issue.record("the snapshot has changed") }
        }
        var versions: [Int: Int] = [:]
        for index in 1500..<19_500 { versions[index] = index / 1500 }
        for store in readers { try files.expectAll(store, versions) }
        _ = consume held
        for store in readers { try store.close() }
        try writer.close()
    }
}
