import Bulla
import BullaProcessSupport
import BullaRecords
import BullaRecordsWorker
import BullaTestSupport
import Foundation
import Testing

@Suite("Writers of records that are killed")
struct KilledWriterTests {
    private static let writerCount = 2
    private static let killCount = TestMode.pick(short: 40, long: 1_000)

    private let crew: TrialCrew
    private let store: Store
    private let backend: EmbeddedBackend
    private let zone: ZoneLife

    init() throws {
        crew = try TrialCrew()
        store = try Store.open(
            at: TrialSite.recordsPath(crew.folder), key: TrialSite.key(0))
        backend = EmbeddedBackend(store)
        let incarnation = try #require(RandomIdentifier(bytes: Array(0..<16)))
        let head = StoredZone(
            Database(TrialSite.place, owner: nil), name: "zone", incarnation: incarnation,
            epoch: 1, keys: [])
        #expect(try backend.create(head))
        zone = ZoneLife(head)
    }

    /// A writer and its reports.
    private final class Writer {
        let number: Int
        var process: WorkerProcess
        var tried: UInt64 = 0
        var done: UInt64 = 0
        /// Whether its last attempted batch is committed, according to the batch's identifier.
        var isCommitted = false

        init(_ number: Int, _ process: WorkerProcess) {
            (self.number, self.process) = (number, process)
        }

        func note(_ line: String) throws {
            let (name, value) = try WorkerProcess.parse(line)
            if name == "try" { tried = value } else { done = value }
        }
    }

    private func start(_ number: Int, first: UInt64) throws -> WorkerProcess {
        try crew.worker("batch", "zone=zone", "writer=\(number)", "first=\(first)")
    }

    @Test("leave whole batches, all that were acknowledged, and a feed without gaps")
    func kills() throws {
        let seed = TestMode.seeds(1)[0]
        var random = TestRandom(seed: seed)
        let writers = try (0..<Self.writerCount).map { Writer($0, try start($0, first: 1)) }
        var feed = Feed()
        for round in 0..<Self.killCount {
            let writer = random.pick(writers)
            for _ in 0...random.below(24) {
                try writer.note(try #require(try writer.process.line(), "\(crew.complaints)"))
            }
            // The kill comes somewhere within a batch, or after it.
            Thread.sleep(forTimeInterval: Double(random.below(4_000)) / 1_000_000)
            try end(writer)
            try feed.follow(backend, zone)
            let last = try check(writer, feed)
            writer.process = try start(writer.number, first: last + 1)
            (writer.tried, writer.done) = (last, last)
            if round % 100 == 99 { TestMode.tell("\(round + 1) kills") }
        }
        for writer in writers { try end(writer) }
        try feed.follow(backend, zone)
        let batches = try writers.map { try check($0, feed) }.reduce(0, +)
        #expect(feed.head == batches * UInt64(TrialBatch.changeCount), "\(TestMode.replay(seed))")
        #expect(try store.check().isSound)
        try store.close()
    }

    /// Kills a writer, and asks for the outcome of its last attempted batch; if that batch was
    /// committed, followers see it from then on.
    private func end(_ writer: Writer) throws {
        for line in try writer.process.kill() { try writer.note(line) }
        let tried = try TrialBatch.identifier(writer.number, writer.tried)
        writer.isCommitted = try backend.outcome(of: tried, in: zone) != nil
    }

    /// Expects a dead writer's records to be in the state in which one of its batches left them.
    ///
    /// - Returns: the number of that batch.
    private func check(_ writer: Writer, _ feed: Feed) throws -> UInt64 {
        let number = writer.number
        let last = feed.number(TrialBatch.shared(number, 0)) ?? 0
        #expect(writer.tried <= writer.done + 1)
        #expect(last == (writer.isCommitted ? writer.tried : writer.done))
        let next = try TrialBatch.identifier(number, last + 1)
        #expect(try backend.outcome(of: next, in: zone) == nil)
        guard last > 0 else {
            #expect(feed.names(of: number).isEmpty)
            return 0
        }
        let identifier = try TrialBatch.identifier(number, last)
        let first = try #require(try backend.outcome(of: identifier, in: zone))
        var names = (0..<TrialBatch.sharedCount).map { TrialBatch.shared(number, $0) }
        names.append(TrialBatch.own(number, last))
        #expect(names.map { feed.number($0) } == names.map { _ in last })
        names.append(TrialBatch.own(number, last - 1))
        #expect(names.map { feed.version($0) } == names.indices.map { first + UInt64($0) })
        let present = names.dropLast().sorted()
        #expect(feed.names(of: number) == present)
        try checkPlaces(of: present, number, last)
        return last
    }

    /// Expects the index and the referrers to contain these records, and no others of the writer.
    private func checkPlaces(of names: [String], _ number: Int, _ last: UInt64) throws {
        let range = IndexKey.field("number", of: TrialBatch.type)
        let found = try backend.scan(range, in: zone, after: nil, limit: 10_000).names
        #expect(found.filter { $0.hasPrefix("w\(number).") }.sorted() == names)
        let referrers = try backend.referrers(
            of: "target\(number)", .none, in: zone, limit: 10_000)
        #expect(referrers.sorted() == names)
    }

    /// A follower's copy of the zone; one copy is kept up to date through all kills.
    private struct Feed {
        private(set) var head: UInt64 = 0
        private var rows: [String: StoredRecord] = [:]
        private var last: UInt64 = 0

        mutating func follow(_ backend: EmbeddedBackend, _ zone: ZoneLife) throws {
            var hasMore = true
            while hasMore {
                let page = try #require(try backend.changes(in: zone, after: last, limit: 64))
                #expect(page.headVersion >= head)
                head = page.headVersion
                for (name, record) in page.changes {
                    #expect(record.version > last && record.version <= head)
                    (rows[name], last) = (record, record.version)
                }
                hasMore = page.hasMore
            }
        }

        func version(_ name: String) -> UInt64? { rows[name]?.version }

        /// The number of the batch that wrote a record; `nil` if the record does not exist.
        func number(_ name: String) -> UInt64? {
            rows[name]?.bytes.map { $0.load(UInt64.self, at: 0) }
        }

        /// The existing records of a writer.
        func names(of writer: Int) -> [String] {
            rows.filter { $0.value.bytes != nil && $0.key.hasPrefix("w\(writer).") }.keys.sorted()
        }
    }
}
