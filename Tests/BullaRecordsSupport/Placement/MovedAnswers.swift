internal import BullaRecords
internal import BullaTestSupport
import Testing

/// Makes the same random calls to two databases: one that movers bring from site to site meanwhile,
/// and one in memory.
package struct MovedAnswers {
    private let sites: PlacedSites
    private var random: TestRandom
    /// The number of the site to which the database is on its way.
    private var target = 0
    private var moveCount = 0

    package init(_ sites: PlacedSites, seed: UInt64) {
        (self.sites, random) = (sites, TestRandom(seed: seed &+ 1))
    }

    /// Checks that both give the same answers.
    package mutating func run(seed: UInt64, callCount: Int) throws {
        let memory = MemoryBackend()
        var model = BackendModel(memory, seed: seed, hasAccounts: false)
        for number in 0..<callCount {
            if random.isOne(in: 3) { try advance() }
            let step = model.next()
            // The answers to these calls are the same only if no move is in progress: a database
            // that moves keeps its deletions, and can have an asset without a record at two sites.
            if ["forget deletions", "free orphans"].contains(step.description) {
                try sites.mover().resume(BackendBench.public)
            }
            let expected = step.answer(of: memory)
            var answer = step.answer(of: sites.placed)
            for _ in 0..<1_000 where answer == .failed(.unavailable) {
                try advance()
                answer = step.answer(of: sites.placed)
            }
            guard answer == expected else {
                Issue.record(
                    "step \(number), \(step): \(answer), not \(expected); \(TestMode.replay(seed))")
                return
            }
            model.learn(answer)
        }
        #expect(moveCount > 3)
    }

    /// Moves the database some steps further; once it has arrived, the next site becomes its
    /// target.
    private mutating func advance() throws {
        let (target, stepCount) = (PlacedSites.name(target), random.below(80))
        guard try sites.move(BackendBench.public, to: target, stepCount: stepCount) else { return }
        moveCount += 1
        self.target = (self.target + 1) % 3
    }
}
