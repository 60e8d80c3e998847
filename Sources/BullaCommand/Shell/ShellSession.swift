internal import Bulla

/// A shell: reads lines and executes them.
///
///     outside --begin--> inside a transaction --commit, rollback--> outside
///        |                        |                                    |
///        +---begin that fails-----+---transaction fails----> lost -----+
///
/// When a line fails, the shell reports it, and a user can go on typing. With lines from a pipe,
/// the first failure ends the shell, unless it was asked to keep going. When a transaction is lost,
/// the shell refuses the lines that belong to it, up to its `commit` or `rollback`, so that none of
/// them becomes a commit of its own. With lines from a pipe, a lost transaction always ends the
/// shell.
final class ShellSession {
    /// How the shell answers.
    struct Manner {
        var isJSON = false
        var keepsGoing = false
    }

    /// The state in which the shell executes the next line.
    private enum Standing {
        case outside
        case inside
        case lost
    }

    let store: Store
    let path: String
    let manner: Manner
    private let input: any ShellInput
    private var parser = StatementParser(isBatch: false)
    private var completion: ShellCompletion
    private var standing = Standing.outside
    /// Whether a line asked the shell to end.
    private var isLeft = false
    /// Whether there are no more lines.
    private var isEnded = false
    /// Whether the error that is being thrown must end the shell, and must not be changed.
    ///
    /// Its message already has the line's position, or it says why reading the lines failed.
    private var isFailed = false

    init(_ store: Store, path: String, input: any ShellInput, manner: Manner) {
        self.store = store
        self.path = path
        self.input = input
        self.manner = manner
        completion = ShellCompletion(store)
    }

    /// Runs until the lines end, or a line ends the shell.
    func run() throws {
        while let statement = try next() {
            do {
                try standing == .lost ? refuse(statement) : runOutside(statement)
            } catch {
                // A `commit` that fails has already set `standing` to `outside`. No more lines of
                // its transaction follow, so there are none to refuse.
                try standing == .inside ? lose(error) : tell(error)
            }
            if isLeft || isEnded { return }
        }
    }

    /// The next statement; `nil` when the shell ends.
    private func next() throws -> Statement? {
        while true {
            guard let line = try nextLine() else {
                isEnded = true
                return nil
            }
            do {
                guard let statement = try parser.parse(line[...]) else { continue }
                if case .quit = statement {
                    isLeft = true
                    return nil
                }
                return statement
            } catch {
                let isLost = standing == .outside && ShellVerb.isBegin(line[...])
                try isLost ? lose(error) : tell(error)
            }
        }
    }

    /// The next line; `nil` at the end.
    private func nextLine() throws -> [UInt8]? {
        while true {
            // An interrupt during the execution of the previous line was meant for that line.
            if input.isInteractive { Signals.forgetInterrupt() }
            try Signals.check()
            Signals.catchInterrupts()
            completion.current = parser.current
            do {
                defer { Signals.catchInterrupts() }
                return try input.next(prompt, completion)
            } catch let error as Interrupted where input.isInteractive && error.isByKeyboard {
                // The interrupt cancels only the line that is being typed.
                try tell(error)
            } catch {
                isFailed = !input.isInteractive
                throw error
            }
        }
    }

    private var prompt: String {
        let tree = parser.current.map { ":" + Self.short("\($0)") } ?? ""
        let mark =
            switch standing {
            case .outside: ""
            case .inside: "*"
            case .lost: "!"
            }
        return "bulla\(tree)\(mark)> "
    }

    /// A tree's name, shortened if it is long, so that the prompt leaves room for a line.
    private static func short(_ name: String) -> String {
        name.count <= 24 ? name : name.prefix(21) + "..."
    }

    private func runOutside(_ statement: Statement) throws {
        switch statement {
        case .begin: try runInside()
        case .commit, .rollback: throw LineFault("there is no transaction: begin starts one")
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

    /// Executes the lines up to the one that ends the transaction.
    private func runInside() throws {
        standing = .inside
        var transaction = try store.beginWrite()
        while let statement = try next() {
            switch statement {
            case .commit:
                standing = .outside
                _ = try transaction.commit()
                return
            case .rollback:
                standing = .outside
                return
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

    /// Refuses a line of a lost transaction, except `rollback`.
    ///
    /// A refused `commit` ends the lost state, as `rollback` does.
    private func refuse(_ statement: Statement) throws {
        switch statement {
        case .rollback: standing = .outside
        case .commit:
            standing = .outside
            throw LineFault("the transaction was lost: nothing of it was kept")
        default:
            throw LineFault(
                "the line belongs to a lost transaction, and was not run; rollback ends it")
        }
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

    private func answer(_ change: TreeChange, _ count: Int) throws {
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

    /// Reports the error that caused the loss of a transaction; with lines from a pipe, throws it
    /// to end the shell.
    private func lose(_ error: any Error) throws {
        standing = .lost
        try tell(error)
        StandardError.write(
            "bulla: the transaction is lost: lines are refused up to commit or rollback\n")
    }

    /// Reports the error that a line caused, so that the shell can go on.
    ///
    /// If the shell reads from a pipe and was not told to keep going, throws the error to end the
    /// shell.
    private func tell(_ error: any Error) throws {
        guard !isFailed else { throw error }
        let failure: CommandError
        switch error {
        case let error as LineFault: failure = CommandError(.usage, error.message)
        case let error as CommandError: failure = error
        case let error as BullaError: failure = CommandError(error)
        case let error as Interrupted where input.isInteractive && error.isByKeyboard:
            Signals.forgetInterrupt()
            // The terminal has already shown ^C at the cursor.
            StandardError.write("\nbulla: interrupted\n")
            return
        default: throw error
        }
        var placed = failure
        if let place = input.place { placed.message = "\(place): \(failure.message)" }
        guard input.isInteractive || manner.keepsGoing && standing != .lost else {
            isFailed = true
            throw placed
        }
        CommandEnding.tell(placed)
    }
}

/// One change that a line makes.
enum TreeChange {
    case put(TreeName, key: [UInt8], value: [UInt8])
    case delete(TreeName, key: [UInt8])
    case deleteRange(TreeName, KeyBounds)
    case create(TreeName)
    case drop(TreeName)
    case rename(TreeName, to: TreeName)

    /// Makes the change.
    ///
    /// - Parameter store: the store, for messages.
    /// - Returns: how many entries were deleted; 0 for other changes.
    /// - Throws: ``CommandExit/notFound`` if there is no such tree; `treeExists` if the new name is
    ///   taken.
    func apply(to change: inout WriteTransaction, of store: String) throws -> Int {
        switch self {
        case .put(let name, let key, let value):
            try change.put(value, forKey: key, in: change.openOrCreateTree(named: name))
        case .delete(let name, let key):
            return try change.deleteIfPresent(key, in: change.tree(named: name, of: store)) ? 1 : 0
        case .deleteRange(let name, let bounds):
            return try change.deleteRange(bounds.range, in: change.tree(named: name, of: store))
        case .create(let name): try change.openOrCreateTree(named: name)
        case .drop(let name):
            _ = try change.tree(named: name, of: store)
            try change.dropTree(named: name)
        case .rename(let name, let newName):
            _ = try change.tree(named: name, of: store)
            try change.renameTree(named: name, to: newName)
        }
        return 0
    }
}
