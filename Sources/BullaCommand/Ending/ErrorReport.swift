internal import Bulla
internal import BullaObjects
internal import BullaText

/// An error as written to standard error: a line of text, or with `--json` a line of JSON.
struct ErrorReport: Encodable {
    struct Details: Encodable {
        let code: String
        let exit: Int32
        let message: String
        var errno: Int32?
        var page: UInt64?
        var commit: UInt64?
        var loaded: LoadSummary?
        var imported: ObjectImport.Summary?
    }

    let error: Details
    /// A hint that is shown only on a terminal.
    private var hint: String?

    private enum CodingKeys: String, CodingKey {
        case error
    }

    init(_ error: CommandError) {
        let aftermath = error.loaded?.aftermath ?? error.imported?.aftermath
        self.error = Details(
            code: error.code, exit: error.exit.rawValue,
            message: error.message + (aftermath.map { "; " + $0 } ?? ""),
            errno: error.errno, page: error.page, commit: error.commit, loaded: error.loaded,
            imported: error.imported)
        hint = error.hint
    }

    init(_ error: Interrupted) {
        let aftermath = error.loaded?.aftermath ?? error.imported?.aftermath
        self.error = Details(
            code: "interrupted", exit: 128 + error.signal,
            message: "interrupted by signal \(error.signal)" + (aftermath.map { ": " + $0 } ?? ""),
            loaded: error.loaded, imported: error.imported)
    }

    var text: String {
        let isShown = hint != nil && Descriptor.standardError.isTerminal
        let more = isShown ? hint.map { " " + $0 } ?? "" : ""
        return "bulla: " + EscapedText.forTerminal(error.message + more) + "\n"
    }
}

/// Removes the user's words from the messages of the argument parser.
///
/// A user may have typed a value or a tree's name in place of an option, and standard error often
/// ends up in logs.
enum ParserMessage {
    private static let neutral = "(not shown)"

    /// The parser's message, with neutral text in place of each argument that it repeats.
    static func text(
        _ message: String, arguments: [String] = Array(CommandLine.arguments.dropFirst())
    ) -> String {
        // A message that begins like this repeats an argument without quotation marks.
        let unquoted = "Invalid option: "
        guard !message.hasPrefix(unquoted) else { return unquoted + neutral }
        var text = message
        for word in words(arguments) { text = text.replacing("'\(word)'", with: neutral) }
        return hasOnlyNames(text) ? text : withoutQuotations(text)
    }

    /// What the parser may repeat: each argument, and its parts before and after `=`.
    private static func words(_ arguments: [String]) -> [String] {
        let parts = arguments.flatMap { argument in
            let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
            return parts.count > 1 ? [argument] + parts : [argument]
        }
        // The longest words come first. A long word may contain a shorter one in quotation marks.
        // Once the shorter one is replaced, the long one would no longer be found.
        return parts.filter { !$0.isEmpty }.sorted { $0.utf8.count > $1.utf8.count }
    }

    /// Whether all remaining quotations are names that the command itself defines.
    private static func hasOnlyNames(_ text: String) -> Bool {
        let parts = text.split(separator: "'", omittingEmptySubsequences: false)
        guard !parts.count.isMultiple(of: 2) else { return false }
        return parts.indices.allSatisfy { index in
            index.isMultiple(of: 2) || isName(parts[index])
        }
    }

    /// Whether the text is `<label>`, `--option` or `--option <label>`.
    private static func isName(_ text: Substring) -> Bool {
        text.wholeMatch(of: /(--[a-z-]+)?( ?<[a-z-]+>)?/) != nil
    }

    /// The text, with neutral text in place of everything from the first quotation mark to the
    /// last.
    private static func withoutQuotations(_ text: String) -> String {
        guard let first = text.firstIndex(of: "'"), let last = text.lastIndex(of: "'") else {
            return text
        }
        return text[..<first] + neutral + text[text.index(after: last)...]
    }
}

/// Finds the word that the user probably meant by a mistyped one.
enum Suggestion {
    /// The maximum number of words with which a mistyped word is compared.
    private static let wordLimit = 10_000
    /// The length in characters above which a word is not compared.
    private static let lengthLimit = 255

    /// The nearest word; `nil` if all words are too different.
    static func best(for typed: String, among words: some Sequence<String>) -> String? {
        let typed = Array(typed.lowercased())
        guard !typed.isEmpty, typed.count <= lengthLimit else { return nil }
        // Allows one typing error for every three letters, but always at least one.
        var nearest = max(1, typed.count / 3) + 1
        var best: String?
        for word in words.prefix(wordLimit) {
            let letters = Array(word.lowercased())
            guard letters.count <= lengthLimit else { continue }
            let steps = isBeginning(typed, of: letters) ? 1 : distance(typed, letters)
            if steps < nearest { (nearest, best) = (steps, word) }
        }
        return best
    }

    private static func isBeginning(_ typed: [Character], of word: [Character]) -> Bool {
        typed.count > 2 && word.starts(with: typed)
    }

    /// The number of typing errors: letters inserted, omitted or replaced, and neighbours swapped.
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var before: [Int] = []
        var last = Array(0...right.count)
        for row in left.indices {
            var next = [row + 1]
            for column in right.indices {
                let isSame = left[row] == right[column]
                var steps = min(
                    last[column] + (isSame ? 0 : 1), last[column + 1] + 1, next[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1],
                    left[row - 1] == right[column]
                {
                    steps = min(steps, before[column - 1] + 1)
                }
                next.append(steps)
            }
            (before, last) = (last, next)
        }
        return last[right.count]
    }
}
