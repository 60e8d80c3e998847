internal import ArgumentParser
internal import Bulla
internal import BullaText

/// `bulla dump`: writes trees as text that `bulla load` reads back.
struct DumpCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dump",
        abstract: "Write trees as text that bulla load --format dump reads back exactly.",
        usage: "bulla dump <store> [<tree> ...] [<options>]",
        discussion: """
            Without names, all trees are written, as they are at one moment. The text is NOT \
            encrypted: --output makes a file that only you may read, and never overwrites one.

              bulla dump my.bulla --output my.dump --key-file my.key
              bulla dump my.bulla pets --key-file my.key | gzip > pets.dump.gz
              bulla load new.bulla my.dump --format dump --create --key-file new.key

            The form, line by line:
              #bulla-dump 1        first line
              #tree NAME           the tree of the entries that follow
              KEY <tab> VALUE      an entry
              <tab> VALUE          more of the previous entry's value, 64 KiB a line
              #end TREES ENTRIES   last line; without it the text was cut
            Names, keys and values are escaped as in scan: \\\\ \\t \\n \\r \\xNN. A key that \
            begins with # is written with \\x23 in place of the #.
            """)

    @OptionGroup var store: StoreArguments
    @Argument(help: "The trees; without any, all of them.") var trees: [TreeArgument] = []

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("A file to make, instead of standard output.", valueName: "file"),
        completion: .file())
    var output: String?

    @OptionGroup var quiet: QuietArguments

    func run() throws {
        try store.reading { opened in
            try opened.read { snapshot in
                let chosen = try choose(from: snapshot)
                try Descriptor.lending(creating: output) { file in
                    try write(chosen, of: snapshot, to: file)
                }
            }
        }
    }

    private func choose(
        from snapshot: borrowing Snapshot
    ) throws -> [(name: [UInt8], tree: Tree, count: Int)] {
        var chosen: [(name: [UInt8], tree: Tree)] = []
        for tree in trees {
            chosen.append((tree.name.bytes, try snapshot.tree(named: tree.name, of: store.store)))
        }
        if trees.isEmpty {
            try snapshot.forEachTree { span, tree in
                var name: [UInt8] = []
                name.append(span)
                chosen.append((name, tree))
            }
        }
        var counted: [(name: [UInt8], tree: Tree, count: Int)] = []
        for (name, tree) in chosen { counted.append((name, tree, try snapshot.count(of: tree))) }
        return counted
    }

    private func write(
        _ chosen: [(name: [UInt8], tree: Tree, count: Int)], of snapshot: borrowing Snapshot,
        to file: Descriptor
    ) throws {
        let progress = ProgressBar(
            "dump", unit: .entries, total: chosen.reduce(into: 0) { $0.add($1.count) },
            isQuiet: quiet.quiet || output == nil)
        var writer = DumpWriter(ByteOutput(file), progress: progress)
        for (name, tree, _) in chosen { try writer.write(tree, named: name, of: snapshot) }
        try writer.finish()
        progress.finish()
    }
}
