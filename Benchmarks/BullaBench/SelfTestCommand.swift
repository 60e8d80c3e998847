internal import ArgumentParser
internal import BullaBenchKit
internal import BullaPeerCheck

struct SelfTestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "selftest", abstract: "Checks the instrument itself on known answers.",
        discussion: """
            Intervals are checked on synthetic samples whose true ratio is known, generators on \
            their theoretical frequencies, and the whole run, worker processes included, on stores \
            with a planted delay, stall and loss. With --peers the command instead compares what \
            the harness measures of each engine with a bare program that does the same work \
            without the harness: both agree within 5 %, or the cause is named.

            Exit status: 0 all passed, 1 one failed; 64 and above: it could not run.
            """)

    @Option(help: "The folder in which a temporary folder for the stores is made.")
    var directory = "."

    @Option(help: "The seed of the random numbers.")
    var seed: UInt64 = 1

    @Flag(help: "Compares the harness with the bare programs.")
    var peers = false

    @Option(help: "With --peers: only these engines, separated by commas.")
    var only: String?

    @Option(help: "With --peers: only these rows, separated by commas.")
    var rows: String?

    @Option(help: "With --peers: the folder of the peers' programs and of the bare programs.")
    var programs: String?

    @Option(help: "With --peers: number of generated records.")
    var records = 100_000

    func run() throws {
        try report {
            Interruption.shared.listen()
            if peers { return try checkPeers() }
            var findings = tell(IntervalCoverage(seed: seed).findings())
            findings += tell(GeneratorCheck(seed: seed).findings())
            let check = InstrumentCheck(directory: directory, seed: seed)
            findings += tell(check.findings { Terminal.write("checking: \($0)\n") })
            try Interruption.shared.check()
            let failedCount = findings.count { !$0.isPassed }
            print("\(findings.count - failedCount) of \(findings.count) checks passed")
            return failedCount == 0 ? .met : .missed
        }
    }

    private func checkPeers() throws -> BenchExit {
        let check = try PeerCheck(
            directory: directory, only: only, rows: rows, programs: programs, recordCount: records,
            seed: seed)
        return try check.passes { print($0) } ? .met : .missed
    }

    private func tell(_ findings: [SelfTestFinding]) -> [SelfTestFinding] {
        for finding in findings {
            print("\(finding.isPassed ? "passed" : "FAILED")  \(finding.name)")
            print("        \(finding.text)")
        }
        return findings
    }
}

struct TopologyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "topology", abstract: "Shows the machine's nodes, cores and caches.",
        discussion: """
            --place and --memory choose from these. The cores are those that this process may use; \
            siblings share one physical core.
            """)

    @Flag(help: "Prints JSON.")
    var json = false

    func run() throws {
        let topology = Topology.current()
        guard json else { return print(TopologyText.lines(topology).joined(separator: "\n")) }
        print(String(decoding: try topology.json(), as: UTF8.self), terminator: "")
    }
}
