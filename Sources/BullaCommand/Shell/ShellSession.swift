internal import Bulla

/// A shell: reads lines, and does what each asks for.
///
///     outside --begin--> inside a transaction --commit, rollback--> outside
///
/// A line that fails is told of. Typed lines go on then; of lines from a pipe the first that fails
/// ends the shell, unless it is to keep going.
final class ShellSession {
    /// How it answers.
    struct Manner {
        var isJSON = false
        var keepsGoing = false
    }

    let store: Store
    let path: String
    let manner: Manner
    private let input: any ShellInput
    private var parser = StatementParser(isBatch: false)
    private var completion: ShellCompletion
    /// Whether a line said that it is time to leave.
    private var isLeft = false
    /// Whether there are no more lines.
    private var isEnded = false

    init(_ store: Store, path: String, input: any ShellInput, manner: Manner) {
        self.store = store
        self.path = path
        self.input = input
        self.manner = manner
        completion = ShellCompletion(store)
    }

    /// Runs until the lines end, or one says so.
    func run() throws {
        while let statement = try next(isInside: false) {
            do { try runOutside(statement) } catch { try tell(error) }
            if isLeft || isEnded { return }
        }
    }

    /// The next line that asks for something; `nil` when it is time to leave.
    private func next(isInside: Bool) throws -> Statement? {
        while true {
            Signals.catchInterrupts()
            completion.current = parser.current
            guard let line = try input.next(prompt(isInside), completion) else {
                isEnded = true
                return nil
            }
            Signals.catchInterrupts()
            do {
                guard let statement = try parser.parse(line[...]) else { continue }
                if case .quit = statement {
                    isLeft = true
                    return nil
                }
                return statement
            } catch { try tell(error) }
        }
    }

    private func prompt(_ isInside: Bool) -> String {
        let tree = parser.current.map { ":" + Self.short("\($0)") } ?? ""
        return "bulla\(tree)\(isInside ? "*" : "")> "
    }

    /// So much of a name that there is room for a line.
    private static func short(_ name: String) -> String {
        name.count <= 24 ? name : name.prefix(21) + "..."
    }

    private func runOutside(_ statement: Statement) throws {
        switch statement {
        case .begin: try runInside()
        case .commit, .rollback: throw LineFault("there is no transaction: begin begins one")
        case .change(let change):
            let count = try store.write { try change.apply(to: &$0, of: path) }
            try answer(change, count)
        default:
            try store.read { snapshot in
                try ShellAnswers(self).read(statement, from: snapshot)
            }
        }
        use(statement)
    }

    /// Runs the lines up to the one that ends the transaction.
    private func runInside() throws {
        var transaction = try store.beginWrite()
        while let statement = try next(isInside: true) {
            switch statement {
            case .commit:
                _ = try transaction.commit()
                return
            case .rollback: return
            default:
                do { try runInside(statement, &transaction) } catch { try tell(error) }
            }
        }
        guard isLeft || input.isInteractive else {
            throw CommandError(
                .data, "read \(path): the lines end inside a transaction; nothing of it was kept")
        }
        let name = EscapedText.forTerminal(path)
        StandardError.write(
            "bulla: leave \(name): the transaction was not committed; nothing of it was kept\n")
    }

    private func runInside(
        _ statement: Statement, _ transaction: inout WriteTransaction
    ) throws {
        switch statement {
        case .begin: throw LineFault("a transaction has begun already: commit or rollback ends it")
        case .change(let change):
            try answer(change, try change.apply(to: &transaction, of: path))
        default: try ShellAnswers(self).read(statement, from: transaction)
        }
        use(statement)
    }

    private func use(_ statement: Statement) {
        switch statement {
        case .use(let tree):
            parser.current = tree
            completion.known.insert(tree)
        case .change(.put(let tree, _, _)), .change(.create(let tree)):
            completion.known.insert(tree)
        case .change(.rename(let tree, let newName)):
            completion.known.insert(newName)
            completion.known.remove(tree)
            if parser.current == tree { parser.current = newName }
        case .change(.drop(let tree)):
            completion.known.remove(tree)
            if parser.current == tree { parser.current = nil }
        default: break
        }
    }

    private func answer(_ change: TreeChange, _ count: UInt64) throws {
        switch change {
        case .delete:
            guard count > 0 else {
                throw CommandError(.notFound, "delete from \(path): no such key in the tree")
            }
        case .deleteRange:
            try ByteOutput.print(
                manner.isJSON
                    ? "{\"deleted\":\(count)}\n"
                    : "\(Quantity.count(count, "entry", "entries")) deleted\n")
        default: break
        }
    }

    // MARK: Failures

    /// Tells of a line that failed, or ends the shell with it.
    private func tell(_ error: any Error) throws {
        let failure: CommandError
        switch error {
        case let error as LineFault: failure = CommandError(.usage, error.message)
        case let error as CommandError: failure = error
        case let error as BullaError: failure = CommandError(error)
        case let error as Interrupted where input.isInteractive && error.isByKeyboard:
            Signals.forget()
            // The terminal has shown ^C, wherever the cursor was.
            StandardError.write("\nbulla: interrupted\n")
            return
        default: throw error
        }
        var placed = failure
        if let place = input.place { placed.message = "\(place): \(failure.message)" }
        guard input.isInteractive || manner.keepsGoing else { throw placed }
        CommandEnding.tell(placed)
    }
}
