internal import ArgumentParser
internal import BullaBenchKit

struct PeersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "peers",
        abstract: "Compares Bulla with other embedded stores on the same records.",
        discussion: """
            Each peer is a program of its own, bulla-peer-NAME, from the package under \
            Benchmarks/Peers; one that is not there is left out, and named. All get the same \
            records, the same keys and the same durability, in turn within each round. A ratio \
            above 1 means that the one named first takes longer for the same work.

            Exit status: 0 all were measured; 64 and above: the run failed, and says why.
            """)

    @OptionGroup var asked: RunOptions

    @Option(
        help: ArgumentHelp(
            "Peers, with commas between them.",
            discussion: Peer.all.map(\.name).joined(separator: ",")))
    var only: String?

    @Option(
        help: ArgumentHelp(
            "The folder of the peers' programs; without this, the one of this program.",
            valueName: "folder"))
    var programs: String?

    func run() throws {
        try report {
            try Interruption.shared.listen()
            let peers = try Peer.named(only)
            let lineup = try Peer.lineup(
                peers, programs: programs, workerCount: asked.workers)
            _ = try asked.measure("peers", asked.comparison(), lineup)
            return .met
        }
    }
}
