internal import Bulla

/// A parsed line.
enum Statement {
    case change(TreeChange)
    case use(TreeName)
    case get(TreeName, key: [UInt8])
    case scan(TreeName, ScanChoice)
    case count(TreeName, KeyBounds)
    case stat(TreeName)
    case trees, begin, commit, rollback, info, help, quit

    /// The entries that a scan shows, and how it shows them.
    struct ScanChoice {
        var bounds = KeyBounds()
        var order = ScanOrder.ascending
        var limit = UInt64.max
        var hasValues = true
    }
}

/// Parses lines.
struct StatementParser {
    /// The current tree.
    var current: TreeName?
    /// Whether only changes and `use` are allowed.
    let isBatch: Bool

    /// Parses a line; `nil` if it is empty or a comment.
    func parse(_ line: ArraySlice<UInt8>) throws(LineFault) -> Statement? {
        let words = try LineWords.split(line)
        guard let first = words.first else { return nil }
        let verb = try ShellVerb.named(first, isBatch: isBatch)
        var arguments = try StatementArguments(verb, words.dropFirst())
        switch verb.treeOperand {
        case .none:
            try arguments.checkCount(0)
            return Self.plain(verb)
        case .current, .named:
            let tree = try arguments.takeTree(current)
            return try statement(verb, tree, arguments)
        }
    }

    private static func plain(_ verb: ShellVerb) -> Statement? {
        switch verb {
        case .trees: .trees
        case .begin: .begin
        case .commit: .commit
        case .rollback: .rollback
        case .info: .info
        case .help: .help
        default: .quit
        }
    }

    private func statement(
        _ verb: ShellVerb, _ tree: TreeName, _ arguments: StatementArguments
    ) throws(LineFault) -> Statement {
        let words = arguments.operands
        switch verb {
        case .use: return .use(tree)
        case .stat: return .stat(tree)
        case .get: return .get(tree, key: words[0])
        case .count: return .count(tree, arguments.bounds)
        case .scan: return .scan(tree, try arguments.scanChoice())
        case .put: return .change(.put(tree, key: words[0], value: words[1]))
        case .create: return .change(.create(tree))
        case .drop: return .change(.drop(tree))
        case .rename: return .change(.rename(tree, to: TreeName(bytes: words[0])))
        default:
            guard arguments.hasRange else { return .change(.delete(tree, key: words[0])) }
            return .change(.deleteRange(tree, arguments.bounds))
        }
    }
}
