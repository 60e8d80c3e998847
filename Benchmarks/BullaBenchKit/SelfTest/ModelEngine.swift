package final class ModelEngine: Engine {
    private let store: BullaEngine
    private let behaviour: ModelBehaviour

    package init(_ setup: EngineSetup, _ behaviour: ModelBehaviour) throws {
        store = try BullaEngine(setup)
        self.behaviour = behaviour
    }

    package var facts: EngineFacts {
        get throws {
            var facts = try store.facts
            facts.engine = "a model"
            return facts
        }
    }

    package var counters: EngineCounters { get throws { try store.counters } }

    package func session() throws -> any EngineSession {
        ModelSession(try store.session(), behaviour)
    }

    package func close() throws { try store.close() }
}

/// How a store behaves that is made to check the instrument: a real one, whose faults are known.
package struct ModelBehaviour: Codable, Sendable, Equatable {
    /// What a read takes, at least: far more than the store needs for it.
    package var readNanoseconds: UInt64 = 0
    /// Every so many reads, one of each thread takes longer; 0: never.
    package var readsPerStall = 0
    package var stallNanoseconds: UInt64 = 0
    package var losesRecord = false
    /// Whether a read's time is made up from its key: the same whenever, and wherever, it is read.
    package var makesUpTime = false

    package init() {}
}

/// One thread's use of a store that behaves as a check of the instrument needs it.
final class ModelSession: EngineSession {
    private let store: any EngineSession
    private let behaviour: ModelBehaviour
    private var readCount = 0

    init(_ store: any EngineSession, _ behaviour: ModelBehaviour) {
        (self.store, self.behaviour) = (store, behaviour)
    }

    func read(_ keys: ByteRun, _ range: Range<Int>, _ tally: inout Tally) throws {
        for index in range {
            let start = Clock.now
            try store.read(keys, index..<index + 1, &tally)
            tally.unmark()
            if behaviour.makesUpTime {
                tally.mark(nanoseconds: Self.madeUpNanoseconds(keys, index))
            } else {
                Clock.spin(until: start + nextNanoseconds())
                tally.mark()
            }
        }
    }

    func load(_ records: MappedRecords, _ range: Range<Int>) throws {
        let isLast = range.upperBound == records.count
        let kept = behaviour.losesRecord && isLast ? range.dropLast() : range
        try store.load(records, kept)
    }

    func readBatch(_ keys: [[UInt8]], _ tally: inout Tally) throws {
        try store.readBatch(keys, &tally)
    }

    func scan(_ keys: ByteRun, from start: Int?, limit: Int, _ tally: inout Tally) throws {
        try store.scan(keys, from: start, limit: limit, &tally)
    }

    func put(_ keys: ByteRun, _ key: Int, _ values: ByteRun, _ value: Int) throws {
        try store.put(keys, key, values, value)
    }

    func update(_ keys: ByteRun, _ key: Int, _ values: ByteRun, _ value: Int, _ tally: inout Tally)
        throws
    { try store.update(keys, key, values, value, &tally) }

    func delete(_ keys: ByteRun, _ key: Int) throws { try store.delete(keys, key) }

    func visitAll(_ body: (_ key: RawSpan, _ value: RawSpan) -> Void) throws {
        try store.visitAll(body)
    }

    private func nextNanoseconds() -> UInt64 {
        readCount += 1
        let isStall = behaviour.readsPerStall > 0 && readCount % behaviour.readsPerStall == 0
        return isStall ? behaviour.stallNanoseconds : behaviour.readNanoseconds
    }

    /// 1 us to about 1 ms, most of them short.
    private static func madeUpNanoseconds(_ keys: ByteRun, _ index: Int) -> UInt64 {
        let hash = keys.withBytes(index) { RecordHash.hash($0, seed: 0x71AE) }
        return 1_000 + ((hash >> 44) * (hash >> 44)) >> 20
    }
}
