package import BullaRecords
internal import BullaTestSupport
import Synchronization
import Testing

/// A client that changes one account's database over some backend; each change that is made there
/// is also made in a backend in memory.
package final class MovedClient: Sendable {
    package let database: Database
    private let backend: any RecordBackend
    private let memory = MemoryBackend()
    private let state: Mutex<State>

    /// Sendable because it has only values, and the lock guards them.
    private struct State: @unchecked Sendable {
        var bench: BackendBench
        var zones: [ZoneLife] = []
        var batches: [(batch: BackendBatch, first: UInt64)] = []
        var assets: [RandomIdentifier] = []
        var documentVersion: UInt64 = 0
        var refusedCount = 0
    }

    package init(_ backend: any RecordBackend, seed: UInt64) throws {
        var bench = BackendBench(backend, seed: seed)
        (database, self.backend) = (bench.database(), backend)
        state = Mutex(State(bench: bench))
        for name in ["one", "other"] { try perform { try create(name, &$0) } }
        for _ in 0..<60 { try act() }
    }

    package var time: Int64 { state.withLock { $0.bench.time } }
    package var refusedCount: Int { state.withLock { $0.refusedCount } }

    /// A zone that the database does not have yet.
    package func newZone(_ name: String) -> StoredZone {
        state.withLock { $0.bench.newZone(name, in: database) }
    }

    /// Makes one random change, or only counts it if it is refused because the database moves.
    package func act() throws {
        try perform { state in
            state.bench.time += 10
            switch state.bench.random.below(40) {
            case 0: try create("zone \(state.bench.random.below(3))", &state)
            case 1: try end(&state)
            case 2: try rekey(&state)
            case 3..<6: try upload(&state)
            case 6..<8: try replaceDocument(&state)
            case 8: try forget(&state)
            case 9..<11: try repeatBatch(&state)
            default: try commit(&state)
            }
        }
    }

    private func perform(_ body: (inout State) throws -> Void) throws {
        try state.withLock { state in
            do {
                try body(&state)
            } catch let error as RecordError {
                guard error.code == .unavailable, error.retryAfter != nil else { throw error }
                state.refusedCount += 1
            }
        }
    }

    private func create(_ name: String, _ state: inout State) throws {
        let zone = state.bench.newZone(name, in: database)
        let isNew = try backend.create(zone)
        #expect(try memory.create(zone) == isNew)
        if isNew { state.zones.append(ZoneLife(zone)) }
    }

    private func end(_ state: inout State) throws {
        guard state.zones.count > 2 else { return }
        let zone = state.zones[2]
        let isDone = try backend.delete(zone)
        #expect(try memory.delete(zone) == isDone)
        state.zones.remove(at: 2)
    }

    private func rekey(_ state: inout State) throws {
        let zone = state.bench.random.pick(state.zones)
        guard let head = try memory.zone(named: zone.name, in: database) else { return }
        var next = head
        next.keys = state.bench.random.bytes(20)
        func rekey(_ backend: any RecordBackend) throws -> Bool {
            try backend.rekey(
                next, from: head.keys, formerEpoch: head.epoch, sealing: BackendBench.sealing)
        }
        let isDone = try rekey(backend)
        #expect(try rekey(memory) == isDone)
    }

    /// Sends an asset that no record holds yet, in one or more chunks.
    private func upload(_ state: inout State) throws {
        let asset = state.bench.identifier()
        let chunks = (0...state.bench.random.below(5)).map { _ in state.bench.random.bytes(50) }
        try backend.put(chunks, from: 0, of: asset, in: database, time: state.bench.time)
        try memory.put(chunks, from: 0, of: asset, in: database, time: state.bench.time)
        state.assets.append(asset)
    }

    private func replaceDocument(_ state: inout State) throws {
        let bytes = state.bench.random.bytes(30)
        guard let name = documents.first, let owner = database.owner else { return }
        func replace(_ backend: any RecordBackend) throws -> Bool {
            try backend.replace(
                name, of: database.place, for: owner, version: state.documentVersion,
                with: bytes)
        }
        let isDone = try replace(backend)
        #expect(try isDone && replace(memory))
        state.documentVersion += 1
    }

    private var documents: [String] { PlaceDocument.all(of: database.owner) }

    private func forget(_ state: inout State) throws {
        let zone = state.bench.random.pick(state.zones)
        let time = state.bench.time - 300
        // While the database moves, the backend may ignore the call; the copy in memory must not
        // forget anything then, either.
        let before = try backend.changes(in: zone, after: 0, limit: 1)?.forgottenVersion
        try backend.forgetDeletions(before: time, in: zone)
        let after = try backend.changes(in: zone, after: 0, limit: 1)?.forgottenVersion
        if before != after { try memory.forgetDeletions(before: time, in: zone) }
    }

    /// Asks for a batch's outcome, and sends the batch again, like a caller that got no reply.
    private func repeatBatch(_ state: inout State) throws {
        guard !state.batches.isEmpty else { return }
        let (batch, first) = state.bench.random.pick(state.batches)
        guard state.zones.contains(batch.zone) else { return }
        let (known, outcome) = (
            try backend.outcome(of: batch.identifier, in: batch.zone), try backend.commit(batch)
        )
        #expect(known == first && outcome == .committed(first: first))
    }

    private func commit(_ state: inout State) throws {
        let zone = state.bench.random.pick(state.zones)
        let names = Set((0...state.bench.random.below(3)).map { _ in state.bench.random.below(40) })
        var changes: [BackendBatch.Change] = []
        for number in names.sorted() {
            let name = "record \(number)"
            var entry: RecordEntry?
            if !state.bench.random.isOne(in: 4) { entry = try self.entry(name, &state) }
            changes.append(.init(name, expected: .anything, entry: entry))
        }
        let batch = state.bench.batch(changes, in: zone)
        let outcome = try backend.commit(batch)
        #expect(try memory.commit(batch) == outcome)
        if case .committed(let first) = outcome { state.batches.append((batch, first)) }
    }

    private func entry(_ name: String, _ state: inout State) throws -> RecordEntry {
        let value = RecordValue.int64(Int64(state.bench.random.below(9)))
        var entry = state.bench.entry(value, name: name)
        let target = "record \(state.bench.random.below(40))"
        entry.references = [ReferenceEdge(target: target, .deleteSelf)]
        if state.bench.random.isOne(in: 3), let asset = state.assets.last {
            let isThere = try memory.chunk(0, of: asset, in: database) != nil
            if isThere { entry.assets = [asset] }
        }
        return entry
    }

    /// Checks that the backend has what the one in memory has, and nothing else.
    package func expectEqual() throws {
        try state.withLock { state in
            let zones = try memory.zones(in: database)
            #expect(try backend.zones(in: database) == zones)
            for zone in zones { try expectEqual(ZoneLife(zone), &state) }
            for name in documents {
                let (place, owner) = (database.place, database.owner)
                #expect(
                    try backend.document(name, of: place, for: owner)
                        == memory.document(name, of: place, for: owner))
            }
            for asset in state.assets {
                for index in 0..<7 as Range<UInt32> {
                    #expect(
                        try backend.chunk(index, of: asset, in: database)
                            == memory.chunk(index, of: asset, in: database))
                }
            }
            for (batch, first) in state.batches where state.zones.contains(batch.zone) {
                #expect(try backend.outcome(of: batch.identifier, in: batch.zone) == first)
            }
        }
    }

    private func expectEqual(_ zone: ZoneLife, _ state: inout State) throws {
        let expected = try memory.changes(in: zone, after: 0, limit: 10_000)
        let found = try backend.changes(in: zone, after: 0, limit: 10_000)
        #expect(found?.headVersion == expected?.headVersion)
        #expect(found?.forgottenVersion == expected?.forgottenVersion)
        // Deletions that were forgotten while the zone was copied can still be in its copy.
        let forgotten = expected?.forgottenVersion ?? 0
        func lasting(_ page: ChangePage?) -> [String: StoredRecord] {
            var records: [String: StoredRecord] = [:]
            for (name, record) in page?.changes ?? []
            where record.bytes != nil || record.version > forgotten { records[name] = record }
            return records
        }
        #expect(lasting(found) == lasting(expected))
        let all = IndexKey.field("field", of: "Note")
        #expect(
            try backend.scan(all, in: zone, after: nil, limit: 10_000)
                == memory.scan(all, in: zone, after: nil, limit: 10_000))
        for number in 0..<40 {
            func referrers(_ backend: any RecordBackend) throws -> [String] {
                try backend.referrers(
                    of: "record \(number)", .deleteSelf, in: zone, limit: 99)
            }
            #expect(try referrers(backend) == referrers(memory))
        }
    }
}
