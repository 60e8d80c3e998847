internal import Bulla

/// Answers the lines that only read the store.
struct ShellAnswers {
    private static let lookInterval = 256

    private let store: Store
    private let path: String
    private let isJSON: Bool

    init(_ session: ShellSession) {
        store = session.store
        path = session.path
        isJSON = session.manner.isJSON
    }

    /// Answers a line from a snapshot, or from a transaction with the changes that it has made so
    /// far.
    func read(
        _ statement: Statement, from reader: borrowing some TreeReader & ~Copyable
    ) throws {
        switch statement {
        case .trees: try trees(of: reader)
        case .use(let name): _ = try reader.tree(named: name, of: path)
        case .get(let name, let key): try get(key, in: name, of: reader)
        case .scan(let name, let choice): try scan(name, choice, of: reader)
        case .count(let name, let bounds): try count(name, bounds, of: reader)
        case .stat(let name): try stat(name, of: reader)
        case .info: try info()
        case .help: try ByteOutput.print(ShellVerb.helpText)
        default: break
        }
    }

    private func trees(of reader: borrowing some TreeReader & ~Copyable) throws {
        let answer = ByteOutput()
        for name in try reader.treeNames() {
            let count = try reader.count(of: reader.tree(named: name))
            TreeLine.append(name, count, isJSON: isJSON, to: &answer.buffer)
            try answer.passOn()
        }
        try answer.flush()
    }

    private func get(
        _ key: [UInt8], in name: TreeName, of reader: borrowing some TreeReader & ~Copyable
    ) throws {
        let tree = try reader.tree(named: name, of: path)
        var printer = EntryPrinter(form: isJSON ? .json : .text, hasValues: true)
        let isThere = try printer.printValue(of: key, in: tree, of: reader)
        guard isThere else {
            throw CommandError(.notFound, "get from \(path): no such key in the tree")
        }
        try printer.output.flush()
    }

    private func scan(
        _ name: TreeName, _ choice: Statement.ScanChoice,
        of reader: borrowing some TreeReader & ~Copyable
    ) throws {
        let tree = try reader.tree(named: name, of: path)
        var printer = EntryPrinter(form: isJSON ? .json : .text, hasValues: choice.hasValues)
        var left = Int(clamping: choice.limit)
        guard left > 0 else { return }
        try reader.scan(tree, choice.bounds.range, order: choice.order) { key, value in
            try printer.print(key, value)
            left -= 1
            if left.isMultiple(of: Self.lookInterval) { try Signals.check() }
            return left > 0 ? .next : .stop
        }
        try printer.output.flush()
    }

    private func count(
        _ name: TreeName, _ bounds: KeyBounds, of reader: borrowing some TreeReader & ~Copyable
    ) throws {
        let tree = try reader.tree(named: name, of: path)
        var found = 0
        if bounds.isAll {
            found = try reader.count(of: tree)
        } else {
            try reader.scan(tree, bounds.range) { _, _ in
                found += 1
                if found.isMultiple(of: Self.lookInterval) { try Signals.check() }
                return .next
            }
        }
        try ByteOutput.print(isJSON ? "{\"entryCount\":\(found)}\n" : "\(found)\n")
    }

    private func stat(
        _ name: TreeName, of reader: borrowing some TreeReader & ~Copyable
    ) throws {
        let answer = ByteOutput()
        let counts = try reader.statistics(of: reader.tree(named: name, of: path))
        StatText.append(name, counts, isJSON: isJSON, to: &answer.buffer)
        try answer.flush()
    }

    private func info() throws {
        let answer = try InfoAnswer(store)
        try ByteOutput.print(isJSON ? JSONOutput.line(answer) : answer.text)
    }
}
