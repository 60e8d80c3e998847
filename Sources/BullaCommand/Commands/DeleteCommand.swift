internal import ArgumentParser
internal import Bulla

/// `bulla delete`: deletes an entry, or a range of entries.
struct DeleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete an entry, or a range of entries.",
        usage: """
            bulla delete <store> <tree> <key> [<options>]
            bulla delete <store> <tree> --prefix <key> [<options>]
            bulla delete <store> <tree> [--from <key>] [--to <key>] [<options>]
            bulla delete <store> <tree> --all [<options>]
            """,
        discussion: """
              bulla delete my.bulla pets rex --key-file my.key
              bulla delete my.bulla pets --prefix r --key-file my.key
              bulla delete my.bulla log --to 2026-01-01 --key-file my.key

            Status 1: there was no such key, or no such tree; then nothing has changed. A range \
            is deleted in one commit, and the number of deleted entries goes to standard output; \
            0 is no error.
            """)

    @OptionGroup var store: StoreArguments
    @Argument(help: TreeArgument.help) var tree: TreeArgument
    @Argument(help: "The key.") var key: String?
    @OptionGroup var range: RangeArguments
    @Flag(help: "Delete every entry, but keep the tree.") var all = false
    @OptionGroup var bytes: ByteArguments
    @OptionGroup var output: JSONArguments
    @OptionGroup var quiet: QuietArguments

    func validate() throws {
        guard [key != nil, range.isGiven, all].count(where: { $0 }) == 1 else {
            throw ValidationError(
                "one is needed: a key; --prefix, --from or --to; or --all")
        }
    }

    private var isOne: Bool { key != nil }

    func run() throws {
        let change = try change()
        let count = try store.writing { opened in
            try opened.write { transaction in
                let count = try change.apply(to: &transaction, of: store.store)
                guard count > 0 || !isOne else {
                    throw CommandError(
                        .notFound, "delete from \(store.store): no such key in the tree")
                }
                return count
            }
        }
        if !isOne { try answer(count) }
    }

    private func change() throws -> TreeChange {
        if let key = try bytes.bytes(key, "KEY") { return .delete(tree.name, key: key) }
        return .deleteRange(tree.name, try range.bounds(bytes))
    }

    private func answer(_ count: Int) throws {
        if output.json {
            try ByteOutput.print("{\"deleted\":\(count)}\n")
        } else if !quiet.quiet {
            try ByteOutput.print("\(Quantity.count(count, "entry", "entries")) deleted\n")
        }
    }
}
