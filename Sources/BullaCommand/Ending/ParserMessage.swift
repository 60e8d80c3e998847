/// What the parser of the command line says, without what was typed: a value or the name of a tree
/// may have come where an option should be, and standard error ends in logs.
enum ParserMessage {
    private static let neutral = "(not shown)"

    /// A message of the parser with a neutral word for each argument that it repeats.
    static func text(
        _ message: String, arguments: [String] = Array(CommandLine.arguments.dropFirst())
    ) -> String {
        // The only one that repeats an argument without quotation marks.
        let unquoted = "Invalid option: "
        guard !message.hasPrefix(unquoted) else { return unquoted + neutral }
        var text = message
        for word in words(arguments) { text = text.replacing("'\(word)'", with: neutral) }
        return hasOnlyNames(text) ? text : withoutQuotations(text)
    }

    /// What the parser takes for a word: an argument, or its part before or after `=`.
    private static func words(_ arguments: [String]) -> [String] {
        let parts = arguments.flatMap { argument in
            let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
            return parts.count > 1 ? [argument] + parts : [argument]
        }
        // The longest first: one that has quotation marks in it may hold another.
        return parts.filter { !$0.isEmpty }.sorted { $0.utf8.count > $1.utf8.count }
    }

    /// Whether all that is left in quotation marks is what the command itself calls something.
    private static func hasOnlyNames(_ text: String) -> Bool {
        let parts = text.split(separator: "'", omittingEmptySubsequences: false)
        guard !parts.count.isMultiple(of: 2) else { return false }
        return parts.indices.allSatisfy { index in
            index.isMultiple(of: 2) || isName(parts[index])
        }
    }

    /// Whether it is `<label>`, `--option` or `--option <label>`.
    private static func isName(_ text: Substring) -> Bool {
        text.wholeMatch(of: /(--[a-z-]+)?( ?<[a-z-]+>)?/) != nil
    }

    /// The text with one neutral word for everything from the first quotation mark to the last.
    private static func withoutQuotations(_ text: String) -> String {
        guard let first = text.firstIndex(of: "'"), let last = text.lastIndex(of: "'") else {
            return text
        }
        return text[..<first] + neutral + text[text.index(after: last)...]
    }
}
