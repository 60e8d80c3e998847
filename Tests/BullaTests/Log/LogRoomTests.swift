import Bulla
import BullaTestSupport
import Testing

@Suite(.serialized) struct `A log that is nearly full` {
    private let scratch: Scratch
    private static let commitCount = TestMode.pick(short: 600, long: 10_000)
    private static let keyCount = 7

    init() throws { scratch = try Scratch() }

    /// Opens a store whose log goes on in the other half every few commits.
    private func open(_ kind: StoreKind) throws -> Store {
        try kind.open(scratch.path("s"), pageByteCount: 4096) {
            $0.fixLog(halfByteCount: 64 << 10)
        }
    }

    /// Between a thread's check for room and its commit, another thread may learn that the segment
    /// is sealed under a former secret, or may be writing a meta slot.
    @Test(arguments: StoreKind.allCases)
    func `takes every commit, while others make checkpoints and change the secret`(
        kind: StoreKind
    ) throws {
        let store = try open(kind)
        let isDone = Flag()
        try Crew.run(3) { index in
            switch index {
            case 0:
                defer { isDone.raise() }
                for number in 0..<Self.commitCount { try put(number, in: store) }
            case 1:
                repeat { try store.checkpoint() } while !isDone.isRaised
            default:
                guard let key = try kind.key() else { return }
                repeat { try store.reencrypt(keys: [key], pace: 1) } while !isDone.isRaised
            }
        }
        try store.waitUntilDurable(try store.info.commit)
        let last = Self.commitCount - Self.keyCount..<Self.commitCount
        let expected = [[UInt8]: [UInt8]](uniqueKeysWithValues: last.map { (key($0), value($0)) })
        let isWhole = try LogModel(store).trees[1] == expected
        #expect(isWhole)
        #expect(try store.check().isSound)
        try store.close()
    }

    private func key(_ number: Int) -> [UInt8] { [UInt8(number % Self.keyCount)] }

    private func value(_ number: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 15_000)
    }

    private func put(_ number: Int, in store: Store) throws {
        try store.write(durability: .relaxed(within: .seconds(3600))) { change in
            let tree = try change.openOrCreateTree(named: "t")
            try change.put(value(number), forKey: key(number), in: tree)
        }
    }
}
