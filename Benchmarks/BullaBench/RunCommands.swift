internal import ArgumentParser
internal import BullaBenchKit
internal import BullaText

struct OverheadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "overhead", abstract: "Compares an encrypted store with a plain one.",
        discussion: """
            Each row is one workload on one input. A round gives both sides processes of their \
            own, and runs slices of the same work on them in turn: plain, encrypted, encrypted, \
            plain, or the other way round. The ratio is the mean of the rounds' medians, with a 95 \
            % interval from the spread of the rounds. At the end of each round every record of \
            both stores is verified.

            Exit status: 0 target met, 1 missed, 2 undecided; 64 and above: the run failed; the \
            message says why. Finished rows are still shown.
            """)

    @OptionGroup var asked: RunOptions

    @Option(help: "Bytes of a page: 4096 to 65536; by default, the store chooses.")
    var pageSize: Int?

    @Option(help: "Cipher suite.")
    var suite = BenchSuite.aes256GCM

    @Option(help: "How much time encryption may cost, in percent.")
    var target = Percent(0.10)

    @Option(
        help: ArgumentHelp(
            "Compares a plain store with itself, slowed down by this many percent.",
            discussion: """
                Tests the instrument: with a target of 10, it must report 20 as missed and 2 as \
                met.
                """, valueName: "percent")) var slowed: Percent?

    func run() throws {
        try report {
            Interruption.shared.listen()
            var options = try asked.comparison()
            (options.pageByteCount, options.suite, options.target) = (pageSize, suite, target.share)
            let lineup = try slowed.map { try Lineup.slowed(by: $0.share) } ?? .overhead()
            return try asked.measure("overhead", options, lineup)
        }
    }
}

struct PeersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "peers",
        abstract: "Compares Bulla with other embedded stores on the same records.",
        discussion: """
            Each peer is a program of its own, bulla-peer-NAME, from the package Benchmarks/Peers. \
            A missing peer is left out, and named. All get the same records, the same keys and the \
            same durability, in turn within each round. A ratio above 1 means that the store named \
            first takes longer for the same work.

            Exit status: 0 all were measured; 64 and above: the run failed; the message says why.
            """)

    @OptionGroup var asked: RunOptions

    @Option(
        help: ArgumentHelp(
            "Peers, separated by commas.",
            discussion: Peer.all.map(\.name).joined(separator: ","))) var only: String?

    @Option(
        help: ArgumentHelp(
            "The folder of the peers' programs; by default, that of this program.",
            valueName: "folder")) var programs: String?

    func run() throws {
        try report {
            Interruption.shared.listen()
            let peers = try Peer.named(only)
            let lineup = try Peer.lineup(peers, programs: programs, workerCount: asked.workers)
            _ = try asked.measure("peers", asked.comparison(), lineup)
            return .met
        }
    }
}
