import BullaRecords
import BullaRecordsSupport
import BullaTestSupport
import Synchronization
import Testing

@Suite("A backend that fails")
struct BackendFaultTests {
    @Test("commits each batch once, for callers that ask about it", arguments: BackendMaker.all)
    func once(maker: BackendMaker) throws {
        for seed in TestMode.seeds(TestMode.pick(short: 2, long: 20)) {
            let plan = Mutex(TestRandom(seed: seed))
            let faulty = FaultyBackend(try maker.make()) { call in
                plan.withLock { random in
                    let isAny = random.isOne(in: call == .commit ? 2 : 4)
                    let fault = random.pick(FaultyBackend.Fault.honest)
                    return isAny && (fault != .restarts || random.isOne(in: 4)) ? fault : .none
                }
            }
            var bench = BackendBench(faulty, seed: seed)
            let zone = bench.newZone()
            while try !Self.isMade(zone, by: faulty) {}
            let life = ZoneLife(zone)
            for number in 0..<60 {
                let change = BackendBatch.Change(
                    "r\(number)", expected: .nothing, entry: bench.entry())
                let batch = bench.batch([change], in: life, head: UInt64(number))
                let first = try Self.committed(batch, by: faulty)
                #expect(first == UInt64(number) + 1, "\(TestMode.replay(seed))")
            }
            let page = try Self.patiently { () throws(RecordError) in
                try faulty.changes(in: life, after: 0, limit: 99)
            }
            #expect(page?.headVersion == 60)
            #expect(page?.changes.map(\.name) == (0..<60).map { "r\($0)" })
        }
    }

    @Test("refuses a caller that was held up while another committed", arguments: BackendMaker.all)
    func heldUp(maker: BackendMaker) throws {
        let room = try maker.make()
        let others = Mutex(BackendBench(room.backend, seed: 1 << 32))
        let zone = try others.withLock { try $0.zone() }
        let entry = others.withLock { $0.entry() }
        try others.withLock { _ = try $0.save("r", entry, in: zone) }
        let slow = FaultyBackend(
            room,
            before: { call in
                guard call == .commit else { return }
                others.withLock { _ = try? $0.save("r", in: zone) }
            }, plan: { _ in .none })
        var bench = BackendBench(slow)
        for expected in [.tag(entry.tag), .nothing] as [BackendBatch.Expectation] {
            let change = BackendBatch.Change("r", expected: expected, entry: bench.entry())
            let outcome = try bench.commit([change], in: zone)
            #expect(outcome == .conflicts([0: try bench.record("r", in: zone)]))
        }
        let onHead = bench.batch([], in: zone, head: try bench.headVersion(of: zone))
        #expect(try slow.commit(onHead) == .otherHead(4))
    }

    @Test("says unavailable where it did nothing, and where the reply was lost")
    func faults() throws {
        let fault = Mutex(FaultyBackend.Fault.none)
        let seen = Mutex<[String]>([])
        let faulty = FaultyBackend(
            try BackendMaker.memory.make(),
            before: { call in seen.withLock { $0.append("before \(call)") } },
            after: { call in seen.withLock { $0.append("after \(call)") } },
            plan: { _ in fault.withLock { $0 } })
        var bench = BackendBench(faulty)
        let zone = bench.newZone()
        fault.withLock { $0 = .fails }
        #expect(try bench.code { _ = try $0.create(zone) } == .unavailable)
        #expect(seen.withLock { $0 }.isEmpty)
        fault.withLock { $0 = .none }
        #expect(try faulty.zones(in: zone.database).isEmpty)
        fault.withLock { $0 = .losesReply }
        #expect(try bench.code { _ = try $0.create(zone) } == .unavailable)
        fault.withLock { $0 = .restarts }
        #expect(try faulty.zones(in: zone.database) == [zone])
        #expect(
            seen.withLock { $0 } == [
                "before zones", "after zones", "before create", "after create", "before zones",
                "after zones",
            ])
    }

    /// Sends a batch until its outcome is known, like a remote caller.
    private static func committed(
        _ batch: BackendBatch, by backend: FaultyBackend
    ) throws -> UInt64? {
        for _ in 0..<1_000 {
            do throws(RecordError) {
                guard case .committed(let first) = try backend.commit(batch) else { return nil }
                return first
            } catch { guard error.code == .unavailable else { throw error } }
            let known = try patiently { () throws(RecordError) in
                try backend.outcome(of: batch.identifier, in: batch.zone)
            }
            if let known { return known }
        }
        return nil
    }

    private static func isMade(_ zone: StoredZone, by backend: FaultyBackend) throws -> Bool {
        _ = try patiently { () throws(RecordError) in try backend.create(zone) }
        let found = try patiently { () throws(RecordError) in
            try backend.zone(named: zone.name, in: zone.database)
        }
        return found == zone
    }

    private static func patiently<R>(_ body: () throws(RecordError) -> R) throws -> R {
        while true {
            do throws(RecordError) { return try body() } catch {
                guard error.code == .unavailable else { throw error }
            }
        }
    }
}
