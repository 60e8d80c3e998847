internal import ArgumentParser
internal import BullaBenchKit

@main struct BullaBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bulla-bench",
        abstract: "Measures what encryption costs a Bulla store, and how other engines do.",
        discussion: """
            Worker processes run workloads on several stores side by side. The table says how much \
            longer one store takes than another, and how certain that is.
            """,
        subcommands: [
            OverheadCommand.self, PeersCommand.self, CommitsCommand.self, SealingCommand.self,
            RecordsCommand.self, RecordSitesCommand.self, LogCommand.self, GrowthCommand.self,
            ObjectsCommand.self, CompareCommand.self, MergeCommand.self, ReportCommand.self,
            RecordCommand.self, SelfTestCommand.self, TopologyCommand.self, WorkerCommand.self,
            KeeperCommand.self,
        ], defaultSubcommand: OverheadCommand.self)
}

/// The command that each of a run's workers executes; users never call it.
struct WorkerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worker", abstract: "Obeys commands on its input.", shouldDisplay: false)

    func run() throws {
        Worker { setup in
            guard let model = setup.model else { return try BullaEngine(setup) }
            return try ModelEngine(setup, model)
        }.run()
    }
}

extension ParsableCommand {
    /// Exits with the status that `body` returns, or with that of its error, which is printed.
    func report(_ body: () throws -> BenchExit) throws {
        do {
            throw ExitCode(try body().rawValue)
        } catch let error as BenchError {
            Terminal.write("bulla-bench: \(error.message)\n")
            throw ExitCode(error.exit.rawValue)
        }
    }
}
