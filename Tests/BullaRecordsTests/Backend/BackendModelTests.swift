import BullaRecords
import BullaRecordsSupport
import BullaTestSupport
import Testing

@Suite("The embedded backend and the one in memory")
struct BackendModelTests {
    @Test(
        "answer alike, whatever is asked of them",
        arguments: TestMode.seeds(TestMode.pick(short: 1, long: 3)))
    func alike(seed: UInt64) throws {
        let room = try EmbeddedRoom(seed % 2 == 0 ? .gcm : .plain)
        let memory = MemoryBackend()
        var model = BackendModel(memory, seed: seed)
        var random = TestRandom(seed: seed &+ 1)
        var kinds: [String: Int] = [:]
        for number in 0..<TestMode.pick(short: 3_000, long: 20_000) {
            let step = model.next()
            let (expected, answer) = (step.answer(of: memory), step.answer(of: room.backend))
            guard answer == expected else {
                Issue.record(
                    "step \(number), \(step): \(answer), not \(expected); \(TestMode.replay(seed))")
                return
            }
            model.learn(answer)
            kinds[answer.kind, default: 0] += 1
            if random.isOne(in: 500) { try room.restart() }
        }
        // Check that the calls found something.
        for kind in ["committed", "conflicts", "otherEpoch", "otherSchema", "otherHead", "noZone"] {
            #expect(kinds[kind, default: 0] > 0, "no batch was answered by \(kind)")
        }
        #expect(kinds["committed", default: 0] > 300)
        TestMode.tell("answers: \(kinds)")
    }
}

extension BackendAnswer {
    /// The kind of the answer, without its content.
    fileprivate var kind: String {
        switch self {
        case .batch(.committed): "committed"
        case .batch(.conflicts): "conflicts"
        case .batch(.otherEpoch): "otherEpoch"
        case .batch(.otherSchema): "otherSchema"
        case .batch(.otherHead): "otherHead"
        case .batch(.noZone): "noZone"
        case .failed(let code): code.rawValue
        default: "else"
        }
    }
}
