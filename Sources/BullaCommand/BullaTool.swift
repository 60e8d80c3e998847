internal import ArgumentParser
internal import Bulla

/// The command `bulla`.
@main
struct BullaTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bulla",
        abstract: "An encrypted database in one file, which many processes open at once.",
        discussion: """
            A store holds named trees; a tree holds values by key, ordered by the bytes of the keys.

            A first walk:
              bulla keygen my.key
              bulla create my.bulla --key-file my.key
              bulla put my.bulla pets rex "a good dog" --key-file my.key
              bulla get my.bulla pets rex --key-file my.key
              bulla scan my.bulla pets --prefix r --key-file my.key

            By hand, line by line:
              bulla shell my.bulla --key-file my.key

            Real data:
              bulla load my.bulla debian /var/lib/apt/lists/*_Packages* --key-file my.key
              bulla check my.bulla --key-file my.key

            Without --key-file, --key-fd or --key-source the store is plain. A store is encrypted \
            from its first byte or not at all; if you lose the key, you lose the data. For \
            completion in bash:
              source <(bulla --generate-completion-script bash)

            Exit status:
            \(CommandExit.table)
            An interrupt or a termination ends the command by that signal.
            """,
        version: "0.1.0",
        groupedSubcommands: [
            CommandGroup(
                name: "Making stores",
                subcommands: [KeygenCommand.self, CreateCommand.self, CompactCommand.self]),
            CommandGroup(
                name: "Single entries",
                subcommands: [
                    PutCommand.self, GetCommand.self, DeleteCommand.self, ShellCommand.self,
                ]),
            CommandGroup(
                name: "Many entries",
                subcommands: [
                    ScanCommand.self, BatchCommand.self, LoadCommand.self, DumpCommand.self,
                    WatchCommand.self,
                ]),
            CommandGroup(
                name: "Trees",
                subcommands: [
                    TreesCommand.self, StatCommand.self, RenameCommand.self, DropCommand.self,
                ]),
            CommandGroup(
                name: "Looking inside",
                subcommands: [InfoCommand.self, CheckCommand.self]),
            CommandGroup(name: "Objects", subcommands: [ObjectsCommand.self]),
            CommandGroup(
                name: "The log",
                subcommands: [LogCommand.self, CheckpointCommand.self]),
            CommandGroup(
                name: "Keeping stores safe",
                subcommands: [
                    BackupCommand.self, RestoreCommand.self, SalvageCommand.self,
                    AnchorCommand.self,
                ]),
            CommandGroup(
                name: "Keys and vaults", subcommands: [KeyCommand.self, VaultCommand.self]),
        ])

    static func main() {
        Surroundings.prepare()
        Signals.prepare()
        do {
            try Arguments.check()
            var command = try parseAsRoot()
            try command.run()
        } catch {
            CommandEnding.end(error)
        }
    }
}

extension BullaTool {
    /// The error for a command line that names an unknown command; `nil` for any other.
    ///
    /// - Parameter isRepeated: whether the message may repeat the unknown command.
    static func unknownCommand(
        _ arguments: ArraySlice<String>, isRepeated: Bool
    ) -> CommandError? {
        unknownCommand(arguments, of: BullaTool.self, called: "bulla", isRepeated: isRepeated)
    }

    private static func unknownCommand(
        _ arguments: ArraySlice<String>, of command: any ParsableCommand.Type, called path: String,
        isRepeated: Bool
    ) -> CommandError? {
        let subcommands = command.configuration.subcommands
        guard !subcommands.isEmpty, let word = arguments.first, !word.hasPrefix("-"),
            word != "help"
        else { return nil }
        if let next = subcommands.first(where: { $0.configuration.commandName == word }) {
            return unknownCommand(
                arguments.dropFirst(), of: next, called: "\(path) \(word)", isRepeated: isRepeated)
        }
        let names = subcommands.compactMap { $0.configuration.commandName } + ["help"]
        let likely = Suggestion.best(for: word, among: names)
        let question = likely.map { "did you mean \(path) \($0)?" } ?? "\(path) --help lists them"
        let what = isRepeated ? "no command \(word)" : "no such command"
        return CommandError(.usage, "there is \(what); \(question)")
    }
}
