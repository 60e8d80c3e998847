import BullaRecords
import BullaRecordsSupport
import BullaTestSupport
import Foundation
import Synchronization
import Testing

@Suite("Threads that change one zone")
struct BackendThreadTests {
    static let makers: [BackendMaker] = [.memory, .embedded(.plain), .embedded(.gcm)]

    @Test(
        "lose nothing: each change is made once, to what the change before left", arguments: makers)
    func counters(maker: BackendMaker) throws {
        let room = try maker.make()
        let backend = room.backend
        var bench = BackendBench(backend)
        let zone = try bench.zone()
        let (threadCount, changeCount) = (2, 1_000)
        let conflicts = Mutex(0)
        let failures = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: threadCount) { thread in
            var counter = Counter(BackendBench(backend, seed: Self.seed(thread)), zone)
            do {
                for _ in 0..<changeCount { try counter.add(thread: thread) }
            } catch { failures.withLock { $0.append("\(error)") } }
            conflicts.withLock { $0 += counter.conflictCount }
        }
        #expect(failures.withLock { $0 } == [])
        let changes = UInt64(threadCount * changeCount)
        let shared = try #require(try bench.record("shared", in: zone))
        #expect(Counter.count(of: shared.bytes) == changes)
        // Each addition changes the shared record and the thread's own record.
        #expect(try bench.headVersion(of: zone) == 2 * changes)
        for thread in 0..<threadCount {
            let own = try bench.record("own\(thread)", in: zone)
            #expect(Counter.count(of: own?.bytes) == UInt64(changeCount))
        }
        let feed = try bench.feed(of: zone)
        #expect(feed.count == 1 + threadCount && feed.last?.record.version == 2 * changes)
        TestMode.tell("\(conflicts.withLock { $0 }) conflicts")
    }

    @Test("and one that follows them comes to what the zone is", arguments: makers)
    func follower(maker: BackendMaker) throws {
        let room = try maker.make()
        let backend = room.backend
        var bench = BackendBench(backend)
        let zone = try bench.zone()
        let isDone = Atomic(false)
        let failures = Mutex<[String]>([])
        let followed = Mutex<[String: StoredRecord]>([:])
        DispatchQueue.concurrentPerform(iterations: 2) { thread in
            var bench = BackendBench(backend, seed: Self.seed(thread))
            do {
                if thread == 0 {
                    defer { isDone.store(true, ordering: .releasing) }
                    for _ in 0..<TestMode.pick(short: 200, long: 3_000) {
                        let name = "r\(bench.random.below(20))"
                        if bench.random.isOne(in: 4) {
                            try bench.delete(name, in: zone)
                        } else {
                            try bench.save(name, in: zone)
                        }
                    }
                } else {
                    let copy = try Self.follow(bench, zone, until: isDone)
                    followed.withLock { $0 = copy }
                }
            } catch { failures.withLock { $0.append("\(error)") } }
        }
        #expect(failures.withLock { $0 } == [])
        let all = try bench.feed(of: zone)
        #expect(followed.withLock { $0 } == Dictionary(uniqueKeysWithValues: all.map { ($0, $1) }))
    }

    /// Seeds that are far apart, because two threads must not give two batches the same identifier.
    ///
    /// Two seeds of a `TestRandom` that differ by one give the same numbers, shifted by one.
    private static func seed(_ thread: Int) -> UInt64 { UInt64(thread + 1) << 32 }

    /// Reads pages as they come until the writer is done and nothing is left.
    private static func follow(
        _ bench: BackendBench, _ zone: ZoneLife, until isDone: borrowing Atomic<Bool>
    ) throws -> [String: StoredRecord] {
        var (copy, version): ([String: StoredRecord], UInt64) = ([:], 0)
        while true {
            let wasDone = isDone.load(ordering: .acquiring)
            guard let page = try bench.backend.changes(in: zone, after: version, limit: 5) else {
                return copy
            }
            for (name, record) in page.changes { copy[name] = record }
            version = page.changes.last?.record.version ?? version
            if wasDone, !page.hasMore { return copy }
        }
    }
}

/// Increments two records in one batch: one that all threads share, and the thread's own.
///
/// The batch expects that the records still have the tags that were read before.
private struct Counter {
    var bench: BackendBench
    let zone: ZoneLife
    var conflictCount = 0

    init(_ bench: BackendBench, _ zone: ZoneLife) { (self.bench, self.zone) = (bench, zone) }

    mutating func add(thread: Int) throws {
        while true {
            let names = ["shared", "own\(thread)"]
            let changes = try zip(names, bench.backend.records(names, in: zone)).map {
                change($0, $1?.bytes)
            }
            switch try bench.commit(changes, in: zone) {
            case .committed: return
            case .conflicts: conflictCount += 1
            case let outcome: throw Strange(outcome: outcome)
            }
        }
    }

    private mutating func change(_ name: String, _ former: [UInt8]?) -> BackendBatch.Change {
        var entry = bench.entry()
        let count = (Self.count(of: former) ?? 0) + 1
        entry.bytes = entry.tag.bytes + Array("\(count)".utf8)
        let tag = former.flatMap { ChangeTag(bytes: Array($0.prefix(ChangeTag.byteCount))) }
        return .init(name, expected: tag.map { .tag($0) } ?? .nothing, entry: entry)
    }

    static func count(of bytes: [UInt8]?) -> UInt64? {
        bytes.flatMap { UInt64(String(decoding: $0.dropFirst(ChangeTag.byteCount), as: UTF8.self)) }
    }

    struct Strange: Error {
        let outcome: BatchOutcome
    }
}
