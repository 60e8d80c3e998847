/// Measures how far durable commits of several processes get beyond those of one.
///
/// A round lets each contender commit in each shape, one after the other, on the same disk; a ratio
/// compares shapes of the same round.
package struct CommitRun {
    package var contenders: [CommitContender]
    /// Beside one thread of one process, which is always measured.
    package var shapes: [CommitShape]
    package var roundCount: Int
    package var measuredNanoseconds: UInt64
    package var isEncrypted: Bool
    /// Where the store is made, in a temporary folder.
    package var directory: String
    /// What a committing process is started from, and its first argument.
    package var program: String
    package var argument: String

    package init(program: String, argument: String, directory: String) {
        contenders = [.write, .groupWrite] + [0, 40, 80, 120].map { .bare(holdMicroseconds: $0) }
        shapes = [4, 16].map { CommitShape(processCount: 4, threadCount: $0 / 4) }
        roundCount = 5
        measuredNanoseconds = 2_000_000_000
        isEncrypted = true
        self.directory = directory
        self.program = program
        self.argument = argument
    }

    /// Runs all rounds; `tell` hears what is next.
    package func result(_ tell: (String) -> Void) throws -> CommitResult {
        let scratch = try Scratch(under: directory, isKept: false)
        let key = isEncrypted ? try RunKey.random() : nil
        try CommitStage.prepare(scratch.path, key: key)
        let start = MachineLoad.now()
        var result = CommitResult(isEncrypted: isEncrypted)
        for round in 0..<roundCount {
            for contender in contenders {
                tell("round \(round + 1) of \(roundCount): \(contender)")
                for shape in [.one] + shapes {
                    let crew = CommitCrew(self, contender, shape, scratch, key: key)
                    result.add(try crew.sample(UInt64(round)), contender, shape)
                    try Interruption.shared.check()
                }
            }
        }
        result.noise = MachineNoise(from: start, to: .now())
        return result
    }
}
