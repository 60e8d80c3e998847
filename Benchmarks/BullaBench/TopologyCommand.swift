internal import ArgumentParser
internal import BullaBenchKit

struct TopologyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "topology",
        abstract: "Shows the machine's nodes, cores and caches.",
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
