internal import ArgumentParser
internal import Bulla

/// `bulla rename`: gives a tree another name.
struct RenameCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename",
        abstract: "Give a tree another name.",
        usage: "bulla rename <store> <tree> <new-name> [<options>]",
        discussion: """
              bulla rename my.bulla pets animals --key-file my.key

            Takes the same time however large the tree is. Status 1: there is no such tree. Status \
            73: a tree has the new name already; it is never replaced.
            """)

    @OptionGroup var store: StoreArguments
    @Argument(help: TreeArgument.help) var tree: TreeArgument
    @Argument(help: "The name that it gets.") var newName: TreeArgument

    func run() throws {
        try store.writing { opened in
            try opened.write { transaction in
                let change = TreeChange.rename(tree.name, to: newName.name)
                _ = try change.apply(to: &transaction, of: store.store)
            }
        }
    }
}
