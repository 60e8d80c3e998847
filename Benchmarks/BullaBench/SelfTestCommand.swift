internal import ArgumentParser
internal import BullaBenchKit
internal import BullaPeerCheck

struct SelfTestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "selftest", abstract: "Checks the instrument itself on known answers.",
        discussion: """
            Intervals are checked on made-up samples whose true ratio is known, generators on \
            their theoretical frequencies, and the whole run, worker processes and all, on stores \
            with a delay, a stall and a loss that were put in. With --peers, instead, what the \
            harness tells of each engine is held against a bare program that does the same work \
            with no harness around it: the two agree within 5 %, or the cause is told.

            Exit status: 0 all passed, 1 one failed; 64 and above: it could not run.
            """)

    @Option(help: "Where stores are made, in a temporary folder.")
    var directory = "."

    @Option(help: "Decides what is drawn.")
    var seed: UInt64 = 1

    @Flag(help: "Holds the harness against the bare programs.")
    var peers = false

    @Option(help: "With --peers: of the engines, these alone, with commas between them.")
    var only: String?

    @Option(help: "With --peers: of the rows, these alone, with commas between them.")
    var rows: String?

    @Option(help: "With --peers: the folder of the peers' programs and the bare ones.")
    var programs: String?

    @Option(help: "With --peers: generated records.")
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
            These are what --place and --memory choose from. Cores are those that this process may \
            use; siblings share one physical core.
            """)

    @Flag(help: "Writes it as JSON.")
    var json = false

    func run() throws {
        let topology = Topology.current()
        guard json else { return print(TopologyText.lines(topology).joined(separator: "\n")) }
        print(String(decoding: try topology.json(), as: UTF8.self), terminator: "")
    }
}
