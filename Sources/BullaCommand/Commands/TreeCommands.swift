internal import ArgumentParser
internal import Bulla
internal import BullaText

/// `bulla trees`: lists the trees.
struct TreesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trees",
        abstract: "List the trees, with the number of their entries.",
        usage: "bulla trees <store> [<options>]",
        discussion: """
            One tree per line: name, tab, number of entries. Names are escaped as in scan, and \
            every command takes them in that form, so a name can have any bytes.

              bulla trees my.bulla --key-file my.key
            """)

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: JSONArguments

    func run() throws {
        let answer = ByteOutput()
        try store.reading { opened in
            try opened.read { snapshot in
                try list(snapshot, to: answer)
            }
        }
        try answer.flush()
    }

    private func list(_ snapshot: borrowing Snapshot, to answer: ByteOutput) throws {
        var trees: [(name: [UInt8], tree: Tree)] = []
        try snapshot.forEachTree { span, tree in
            var name: [UInt8] = []
            name.append(span)
            trees.append((name, tree))
        }
        for (name, tree) in trees {
            TreeLine.append(
                TreeName(bytes: name), try snapshot.count(of: tree), isJSON: output.json,
                to: &answer.buffer)
        }
    }
}

/// `bulla drop`: deletes a tree.
struct DropCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop",
        abstract: "Delete a tree with all its entries.",
        usage: "bulla drop <store> <tree> [<options>]",
        discussion: """
              bulla drop my.bulla pets --key-file my.key

            Status 1: there is no such tree. The file does not shrink: later changes use the \
            tree's pages. bulla compact makes a copy without them.
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

/// `bulla rename`: renames a tree.
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
    @Argument(help: "The new name.") var newName: TreeArgument

    func run() throws {
        try store.writing { opened in
            try opened.write { transaction in
                let change = TreeChange.rename(tree.name, to: newName.name)
                _ = try change.apply(to: &transaction, of: store.store)
            }
        }
    }
}
