internal import ArgumentParser

extension BullaTool {
    /// What is wrong with a command line whose first word is no command; `nil` where it is one.
    ///
    /// - Parameter isRepeated: whether the message may repeat the word.
    static func unknownCommand(
        _ arguments: ArraySlice<String>, isRepeated: Bool
    ) -> CommandError? {
        guard let word = arguments.first, !word.hasPrefix("-"), !commandNames.contains(word) else {
            return nil
        }
        let likely = Suggestion.best(for: word, among: commandNames)
        let question = likely.map { "did you mean bulla \($0)?" } ?? "bulla --help lists them"
        let what = isRepeated ? "no command \(word)" : "no such command"
        return CommandError(.usage, "there is \(what); \(question)")
    }

    private static var commandNames: [String] {
        configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
    }
}
