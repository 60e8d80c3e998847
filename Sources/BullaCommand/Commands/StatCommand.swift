internal import ArgumentParser
internal import Bulla

/// `bulla stat`: says what trees are made of.
struct StatCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stat",
        abstract: "Say what trees are made of: entries, height, pages, bytes, fill.",
        usage: "bulla stat <store> [<tree> ...] [<options>]",
        discussion: """
            Without names, of all trees. Every page of a tree is read, but not its large values. \
            With --json one object a line.

              bulla stat my.bulla pets --key-file my.key
              bulla stat my.bulla --json --key-file my.key | jq .fill
            """)

    @OptionGroup var store: StoreArguments
    @Argument(help: "The trees; without any, all of them.") var trees: [TreeArgument] = []
    @OptionGroup var output: JSONArguments

    func run() throws {
        let answer = ByteOutput()
        try store.reading { opened in
            try opened.read { snapshot in
                let names = trees.isEmpty ? try snapshot.treeNames() : trees.map(\.name)
                for name in names {
                    let tree = try snapshot.tree(named: name, of: store.store)
                    let counts = try snapshot.statistics(of: tree)
                    StatText.append(name, counts, isJSON: output.json, to: &answer.buffer)
                    try answer.passOn()
                }
            }
        }
        try answer.flush()
    }
}
