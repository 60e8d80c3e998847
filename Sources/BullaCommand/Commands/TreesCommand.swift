internal import ArgumentParser
internal import Bulla

/// `bulla trees`: lists the trees.
struct TreesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trees",
        abstract: "List the trees, with the number of their entries.",
        usage: "bulla trees <store> [<options>]",
        discussion: """
            One tree a line: name, tab, number of entries. Names are escaped as in scan; \
            every command takes them in that form, whatever bytes they are.

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
