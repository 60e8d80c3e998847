internal import ArgumentParser
internal import BullaBenchKit

@main
struct BullaBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bulla-bench",
        abstract: "Measures what encryption costs a Bulla store.",
        discussion: """
            Worker processes run workloads on a plain and an encrypted store side by side. The \
            table says how much longer the encrypted one takes, and how sure that is.
            """,
        subcommands: [OverheadCommand.self, WorkerCommand.self],
        defaultSubcommand: OverheadCommand.self)
}

/// What a parent spawns; of no use to people.
struct WorkerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worker", abstract: "Obeys the lines on its input.", shouldDisplay: false)

    func run() throws {
        Worker().run()
    }
}
