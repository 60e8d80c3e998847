internal import ArgumentParser
internal import Bulla

/// `bulla trees`: lists the trees.
struct TreesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trees",
        abstract: "List the trees, with the number of their entries.",
        usage: "bulla trees <store> [<options>]",
        discussion: """
            One tree a line: name, tab, number of entries. Names are escaped as in scan.

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
            append(name, try snapshot.count(of: tree), to: &answer.buffer)
        }
    }

    private func append(_ name: [UInt8], _ count: UInt64, to text: inout [UInt8]) {
        if output.json {
            text.append(contentsOf: "{\"entries\":\(count),".utf8)
            JSONBytes.append("name", name, to: &text)
            text.append(contentsOf: "}\n".utf8)
        } else {
            EscapedText.append(name, to: &text)
            text.append(contentsOf: "\t\(count)\n".utf8)
        }
    }
}
