internal import ArgumentParser

extension BullaTool {
    /// What is wrong with a command line whose first word is no command; `nil` where it is one.
    static func unknownCommand(_ arguments: ArraySlice<String>) -> CommandError? {
        guard let word = arguments.first, !word.hasPrefix("-"), !commandNames.contains(word) else {
            return nil
        }
        let likely = Suggestion.best(for: word, among: commandNames)
        let question = likely.map { "did you mean bulla \($0)?" } ?? "bulla --help lists them"
        return CommandError(.usage, "there is no command \(word); \(question)")
    }

    private static var commandNames: [String] {
        configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
    }
}
