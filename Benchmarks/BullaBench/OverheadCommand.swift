internal import ArgumentParser
internal import BullaBenchKit

struct OverheadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "overhead",
        abstract: "Compares an encrypted store with a plain one.",
        discussion: """
            Each row is one workload on one input. A round gives both sides processes and a fresh \
            copy of the data of their own, and runs slices of the same work on them in turn: \
            plain, encrypted, encrypted, plain, or the other way round. The ratio is the median \
            over all rounds, with a 95 % interval from a bootstrap over rounds. At the end of each \
            round every record of both stores is verified.

            Exit status: 0 target met, 1 missed, 2 undecided; 64 and above: the run failed, and \
            says why; what was finished before is told all the same.
            """)

    @OptionGroup var asked: RunOptions

    @Option(help: "Bytes of a page: 4096 to 65536; the store's own choice where not given.")
    var pageSize: Int?

    @Option(help: "Cipher suite.")
    var suite = BenchSuite.aes256GCM

    @Option(help: "What encryption may cost, in percent of the time.")
    var target = PercentOption(share: 0.10)

    func run() throws {
        try report {
            try Interruption.shared.listen()
            var options = try asked.comparison()
            options.pageByteCount = pageSize
            options.suite = suite
            options.target = target.share
            return try asked.measure("overhead", options, .overhead())
        }
    }
}
