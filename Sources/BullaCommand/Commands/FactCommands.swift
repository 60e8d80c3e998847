internal import ArgumentParser
internal import Bulla

/// `bulla stat`: describes the contents of trees.
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

/// `bulla info`: describes a store.
struct InfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Say what a store is, and how large.",
        usage: "bulla info <store> [<options>]",
        discussion: """
              bulla info my.bulla --key-file my.key
              bulla info my.bulla --json --key-file my.key | jq .commit
            """)

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: JSONArguments

    func run() throws {
        let answer = try store.reading { try InfoAnswer($0) }
        try ByteOutput.print(
            output.json ? JSONOutput.line(answer) : answer.text)
    }
}

/// `bulla anchor`: prints an anchor for the store's present state.
struct AnchorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "anchor",
        abstract: "Print what tells later that a store was not put back to an older state.",
        usage: "bulla anchor <store> [<options>]",
        discussion: """
            Whoever can write the file can put an old copy of it in its place; nothing inside the \
            file shows that. Keep the anchor somewhere else, and give it to any other command as \
            --not-older-than: a store that has lost what it had then is refused (status 2). An \
            anchor is no secret.

              bulla anchor my.bulla --key-file my.key > my.anchor
              bulla info my.bulla --key-file my.key --not-older-than "$(cat my.anchor)"
            """)

    @OptionGroup var store: StoreArguments

    func run() throws {
        let anchor = try store.reading { try $0.anchor }
        try ByteOutput.print("\(anchor)\n")
    }
}
