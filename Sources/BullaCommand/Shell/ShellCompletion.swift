internal import Bulla

/// Completes the last word of a line.
struct ShellCompletion {
    /// The maximum number of trees that are searched for one completion.
    private static let nameLimit = 10_000

    private let store: Store
    /// The current tree.
    var current: TreeName?
    /// The trees that `use`, `put`, `create` and `rename` have named.
    ///
    /// All other names come from a snapshot, which does not see the trees that a transaction in
    /// progress has created.
    var known: Set<TreeName> = []

    init(_ store: Store) { self.store = store }

    /// The words that can complete the last word of a text, in order.
    ///
    /// - Parameter text: the line up to the cursor.
    /// - Returns: how many characters the words replace, and the words.
    func words(for text: String) -> (typedCount: Int, words: [String]) {
        let typed = Self.lastWord(of: text)
        let before = Array(text.dropLast(typed.count).utf8)
        // If the words before the last one are invalid, the last one cannot be completed.
        guard let words = try? LineWords.split(before[...]) else { return (0, []) }
        guard let first = words.first else {
            let verbs = ShellVerb.allCases.map(\.rawValue).filter { $0.hasPrefix(typed) }
            return (typed.count, verbs.sorted())
        }
        guard let verb = ShellVerb(rawValue: String(decoding: first.bytes, as: UTF8.self)) else {
            return (0, [])
        }
        if typed.hasPrefix("--") {
            let options = (verb.flags + verb.valueOptions).filter { $0.hasPrefix(typed) }
            return (typed.count, options.sorted())
        }
        guard verb.treeOperand != .none, words.count == 1 else { return (0, []) }
        return (typed.count, names(typed))
    }

    /// The unfinished word: the text after the last blank that is not quoted.
    private static func lastWord(of text: String) -> Substring {
        var (start, quote): (String.Index, Character?) = (text.startIndex, nil)
        var isEscaped = false
        for index in text.indices {
            let character = text[index]
            if isEscaped {
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if let open = quote {
                if character == open { quote = nil }
            } else if character == " " || character == "\t" {
                start = text.index(after: index)
            } else if index == start, character == "\"" || character == "'" {
                quote = character
            }
        }
        return text[start...]
    }

    private func names(_ typed: Substring) -> [String] {
        let bare = typed.drop { $0 == "\"" || $0 == "'" }
        let stored = (try? store.read { try $0.treeNames() }) ?? []
        return Set(stored.prefix(Self.nameLimit)).union(known).sorted()
            .filter { "\($0)".hasPrefix(bare) }.map { LineWord.text($0.bytes) }
    }
}
