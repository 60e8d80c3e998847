internal import ArgumentParser
internal import Bulla

/// `bulla delete`: takes one entry away.
struct DeleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Take a key and its value away.",
        usage: "bulla delete <store> <tree> <key> [<options>]",
        discussion: """
              bulla delete my.bulla pets rex --key-file my.key

            Status 1: there was no such key, or no such tree; then nothing has changed.
            """)

    @OptionGroup var store: StoreArguments
    @Argument(help: "The tree.") var tree: String
    @Argument(help: "The key.") var key: String
    @OptionGroup var bytes: ByteArguments

    func run() throws {
        let key = try bytes.bytes(key, "KEY")
        try store.writing { opened in
            try opened.write { transaction in
                let tree = try transaction.tree(tree)
                guard try transaction.delete(key, in: tree) else {
                    throw CommandError(
                        .notFound, "delete from \(store.store): no such key in the tree")
                }
            }
        }
    }
}
