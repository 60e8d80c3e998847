internal import ArgumentParser
internal import Bulla

/// `bulla watch`: writes the changes of each commit once the commit is durable.
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Write what commits change, one after another, until an interrupt.",
        usage: "bulla watch <store> [--since <commit>] [<options>]",
        discussion: """
            One change per line: commit, tab, operation, tab, tree, then keys, values or names, \
            escaped as in scan. A gap is a line too: it begins with the last commit of the gap, \
            and ends with the commit before the gap. So --since with the first number of the last \
            line goes on after it.

              42 put    TREE KEY VALUE      42 create TREE
              42 delete TREE KEY            42 drop   TREE
              50 gap    43                  42 rename TREE NEW-NAME

              bulla watch my.bulla --key-file my.key
              bulla watch my.bulla --tree pets --keys-only --key-file my.key
              bulla watch my.bulla --since 42 --json --key-file my.key

            Only durable commits are written, of all processes. A tree is shown under its present \
            name, or as #NUMBER if it has none any more. Commits that were too large for the log \
            are a gap, and so are those that the log no longer has.
            """)

    @OptionGroup var store: StoreArguments
    @Option(
        help: ArgumentHelp(
            "Begin after this commit, instead of with the next one.", valueName: "commit"))
    var since: UInt64?
    @Option(help: ArgumentHelp("Watch only this tree, even if it is renamed.", valueName: "tree"))
    var tree: TreeArgument?
    @Option(help: ArgumentHelp("End after this many changes and gaps.", valueName: "number"))
    var limit: UInt64?
    @Flag(help: "Write only the keys.") var keysOnly = false
    @Flag(help: "Write keys and values as hexadecimal digits.") var hex = false
    @OptionGroup var output: JSONArguments

    func validate() throws {
        guard !hex || !output.json else {
            throw ValidationError("--hex and --json exclude each other")
        }
    }

    func run() throws {
        try store.reading { opened in
            Signals.catchInterrupts()
            let changes = try opened.changes(since: since)
            // Begin `changes` before reading the names, so that the name of every tree is either
            // among those read, or in a change that follows.
            var trees = try WatchedTrees(opened)
            if let tree { try trees.choose(tree.name, of: store.store) }
            let form: EntryPrinter.Form = output.json ? .json : hex ? .hex : .text
            var printer = ChangePrinter(form: form, hasValues: !keysOnly, limit: limit ?? .max)
            do {
                while printer.isWanting, let event = try next(changes, printer) {
                    switch event {
                    case .commit(let commit): try printer.print(commit, &trees)
                    case .gap(let after, let upTo):
                        try printer.printGap(after: after, upTo: upTo)
                        try trees.read(opened)
                    }
                }
            } catch {
                // Write the complete lines before the error ends the command.
                printer.dropUnfinishedLine()
                try? printer.output.flush()
                throw error
            }
            try printer.output.flush()
        }
    }

    /// Returns the next event; flushes the printed lines before it waits for one.
    private func next(
        _ changes: StoreChanges, _ printer: ChangePrinter
    ) throws -> StoreChanges.Event? {
        if let event = try changes.next() {
            do { try Signals.check() } catch {
                try printer.output.flush()
                throw error
            }
            return event
        }
        try printer.output.flush()
        while true {
            try Signals.check()
            if let event = try changes.next(waitingAtMost: Self.wait) { return event }
        }
    }

    /// The longest wait for an event between two checks for an interrupt.
    private static let wait: Duration = .milliseconds(200)
}
