internal import Bulla

package final class ModelEngine: BullaEngine, @unchecked Sendable {
    private let behaviour: ModelBehaviour

    package init(_ setup: EngineSetup, _ behaviour: ModelBehaviour) throws {
        self.behaviour = behaviour
        try super.init(setup)
    }

    package override var facts: EngineFacts {
        get throws {
            var facts = try super.facts
            facts.engine = "a model"
            return facts
        }
    }

    package override func session() throws -> any EngineSession {
        ModelSession(store, durability, behaviour)
    }
}

/// The behaviour of a store for checks of the instrument: a real store, plus delays and faults.
package struct ModelBehaviour: Codable, Sendable, Equatable {
    /// The minimum time that a read takes; with 0, it takes only as long as the store needs.
    package var readNanoseconds: UInt64 = 0
    /// In each thread, one in this many reads stalls; 0 if none does.
    package var readsPerStall = 0
    package var stallNanoseconds: UInt64 = 0
    package var losesRecord = false
    /// Whether a read reports a made-up time, which depends only on its key.
    package var makesUpTime = false

    package init() {}
}

/// A session whose reads and loads behave as a check of the instrument requires.
final class ModelSession: BullaSession {
    private let behaviour: ModelBehaviour
    private var readCount = 0

    init(_ store: Store, _ durability: Durability, _ behaviour: ModelBehaviour) {
        self.behaviour = behaviour
        super.init(store, durability)
    }

    override func read(
        _ keys: ByteRun, _ range: Range<Int>, perSnapshot: Int, _ tally: inout Tally
    ) throws {
        tally.sample(false)
        for index in range {
            let start = Clock.now
            try super.read(keys, index..<index + 1, perSnapshot: 1, &tally)
            tally.unmark()
            if behaviour.makesUpTime {
                tally.mark(nanoseconds: Self.madeUpNanoseconds(keys, index))
            } else {
                Clock.spin(until: start + nextNanoseconds())
                tally.mark()
            }
        }
    }

    override func load(_ records: MappedRecords, _ range: Range<Int>) throws {
        let isLast = range.upperBound == records.count
        let kept = behaviour.losesRecord && isLast ? range.dropLast() : range
        try super.load(records, kept)
    }

    private func nextNanoseconds() -> UInt64 {
        readCount += 1
        let isStall = behaviour.readsPerStall > 0 && readCount % behaviour.readsPerStall == 0
        return isStall ? behaviour.stallNanoseconds : behaviour.readNanoseconds
    }

    /// A time between 1 us and about 1 ms; most keys get a short one.
    private static func madeUpNanoseconds(_ keys: ByteRun, _ index: Int) -> UInt64 {
        let hash = keys.withBytes(index) { RecordHash.hash($0, seed: 0x71AE) }
        return 1_000 + ((hash >> 44) * (hash >> 44)) >> 20
    }
}
