internal import ArgumentParser
internal import Bulla

/// `bulla drop`: takes a tree away.
struct DropCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop",
        abstract: "Take a tree away, with everything in it.",
        usage: "bulla drop <store> <tree> [<options>]",
        discussion: """
              bulla drop my.bulla pets --key-file my.key

            Status 1: there is no such tree. The file does not become smaller: its pages are used \
            again. bulla compact makes a copy without them.
            """)

    @OptionGroup var store: StoreArguments
    @Argument(help: TreeArgument.help) var tree: TreeArgument

    func run() throws {
        try store.writing { opened in
            try opened.write { transaction in
                _ = try TreeChange.drop(tree.name).apply(to: &transaction, of: store.store)
            }
        }
    }
}
