/// The first word of a line.
enum ShellVerb: String, CaseIterable {
    case trees, use, get, put, delete, scan, count, create, drop, rename
    case begin, commit, rollback, info, stat, help, quit

    /// Which tree the line names, if any.
    enum TreeOperand {
        /// No tree.
        case none
        /// An optional tree; without it, the current tree.
        case current
        /// A required tree.
        case named
    }

    var treeOperand: TreeOperand {
        switch self {
        case .get, .put, .delete, .scan, .count, .stat: .current
        case .use, .create, .drop, .rename: .named
        case .trees, .begin, .commit, .rollback, .info, .help, .quit: .none
        }
    }

    /// How many operands follow the tree.
    var operandCount: Int {
        switch self {
        case .put: 2
        case .get, .delete, .rename: 1
        default: 0
        }
    }

    /// The options that take a value.
    var valueOptions: [String] {
        switch self {
        case .delete, .count: Self.bounds
        case .scan: Self.bounds + ["--limit"]
        default: []
        }
    }

    var flags: [String] {
        switch self {
        case .delete: ["--all"]
        case .scan: ["--reverse", "--keys-only"]
        default: []
        }
    }

    private static let bounds = ["--prefix", "--from", "--to"]

    /// Whether a batch can contain the verb.
    var isOfBatch: Bool {
        switch self {
        case .use, .put, .delete, .create, .drop, .rename: true
        default: false
        }
    }

    var usage: String {
        let tree = treeOperand == .none ? "" : treeOperand == .named ? " TREE" : " [TREE]"
        return switch self {
        case .get: "get\(tree) KEY"
        case .put: "put\(tree) KEY VALUE"
        case .delete: "delete\(tree) KEY | [--prefix P] [--from K] [--to K] | --all"
        case .scan: "scan\(tree) [--prefix P] [--from K] [--to K] [--reverse] [--limit N]"
        case .count: "count\(tree) [--prefix P] [--from K] [--to K]"
        case .rename: "rename\(tree) NEW-NAME"
        default: rawValue + tree
        }
    }

    var meaning: String {
        switch self {
        case .trees: "list the trees, with the number of their entries"
        case .use: "work in this tree: the lines below need not name it"
        case .get: "show a value"
        case .put: "store a value; a missing tree is made"
        case .delete: "delete an entry, or a range of entries"
        case .scan: "show the entries in order; --keys-only leaves out the values"
        case .count: "count the entries"
        case .create: "make a tree"
        case .drop: "delete a tree with all its entries"
        case .rename: "give a tree another name"
        case .begin: "begin a transaction; other writers wait until it ends"
        case .commit: "make the changes since begin durable, all at once"
        case .rollback: "forget the changes since begin"
        case .info: "describe the store, and say how large it is"
        case .stat: "show statistics of a tree"
        case .help: "show this"
        case .quit: "leave; changes that are not committed are lost"
        }
    }

    /// The verb with this name.
    static func named(_ word: LineWord, isBatch: Bool) throws(LineFault) -> ShellVerb {
        let text = String(decoding: word.bytes, as: UTF8.self)
        if text == "exit" { return .quit }
        let known = allCases.filter { !isBatch || $0.isOfBatch }
        if let verb = known.first(where: { $0.rawValue == text }) { return verb }
        guard ShellVerb(rawValue: text) == nil else {
            throw LineFault("\(text) cannot stand in a batch: it changes nothing")
        }
        let likely = Suggestion.best(for: text, among: known.map(\.rawValue))
        let question = likely.map { "did you mean \($0)?" } ?? "help lists the verbs"
        // The message does not repeat the word, which may be a key or a value in the wrong place.
        throw LineFault("the line does not begin with a verb; \(question)")
    }

    /// Whether a line's first word is `begin`, even if the rest of the line is invalid.
    static func isBegin(_ line: ArraySlice<UInt8>) -> Bool {
        let first = line.split(whereSeparator: { LineWord.isBlank($0) || $0 == 0x0D }).first
        return first?.elementsEqual(begin.rawValue.utf8) ?? false
    }

    static var helpText: String {
        let lines = allCases.map { verb in
            verb.usage.count > 20
                ? "  \(verb.usage)\n" + String(repeating: " ", count: 23) + verb.meaning
                : "  " + verb.usage + String(repeating: " ", count: 21 - verb.usage.count)
                    + verb.meaning
        }
        return lines.joined(separator: "\n") + "\n" + wordHelp
    }

    private static let wordHelp = """

        Blanks separate words. "two words" and 'two words' are each one. \\\\ \\t \\n \\r \\xNN
        stand for bytes, as scan shows them; hex:00ff and base64:AP8= do too.
        A line that begins with # is skipped.

        """
}
