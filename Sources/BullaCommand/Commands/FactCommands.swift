internal import ArgumentParser
internal import Bulla

/// `bulla stat`: describes the contents of trees, or shows a running store.
struct StatCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stat",
        abstract: "Show statistics of trees; with --live, show a running store.",
        usage: """
            bulla stat <store> [<tree> ...] [<options>]
            bulla stat <store> --live [--every <time>] [--count <number>] [<options>]
            """,
        discussion: """
            Prints entries, height, pages, bytes and fill of the named trees, or of all. Every \
            page of a tree is read, but not its large values. With --json, one object per line.

              bulla stat my.bulla pets --key-file my.key
              bulla stat my.bulla --json --key-file my.key | jq .fill

            With --live, it shows once a second: commits, flushes and checkpoints of all \
            processes, the size of the file and the log, the open snapshots, and the process that \
            is writing. A terminal shows the newest sample; a pipe gets one line per sample, or \
            with --json one object. The store is only read.

              bulla stat my.bulla --live --key-file my.key
              bulla stat my.bulla --live --every 10s --json --key-file my.key >> my.log
            """)

    @OptionGroup var store: StoreArguments
    @Argument(help: "The trees; without any, all of them.") var trees: [TreeArgument] = []
    @OptionGroup var live: LiveArguments
    @OptionGroup var output: JSONArguments

    func validate() throws {
        guard !live.live || trees.isEmpty else {
            throw ValidationError("--live shows a whole store: leave out the trees")
        }
    }

    func run() throws {
        try store.reading { opened in
            if live.live { try live.show(opened, isJSON: output.json) } else { try count(opened) }
        }
    }

    private func count(_ opened: Store) throws {
        let answer = ByteOutput()
        try opened.read { snapshot in
            let names = trees.isEmpty ? try snapshot.treeNames() : trees.map(\.name)
            for name in names {
                let tree = try snapshot.tree(named: name, of: store.store)
                let counts = try snapshot.statistics(of: tree)
                StatText.append(name, counts, isJSON: output.json, to: &answer.buffer)
                try answer.passOn()
            }
        }
        try answer.flush()
    }
}

/// `bulla info`: describes a store.
struct InfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Describe a store, and say how large it is.",
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
        abstract: "Print an anchor, which shows later whether an older copy replaced the store.",
        usage: "bulla anchor <store> [<options>]",
        discussion: """
            Anybody with write access to the file can put an old copy in its place, and nothing \
            inside the file shows that. Keep the anchor somewhere else, and give it to any other \
            command as --not-older-than: a store that has lost commits that it had then is \
            refused (status 2). An anchor is no secret.

              bulla anchor my.bulla --key-file my.key > my.anchor
              bulla info my.bulla --key-file my.key --not-older-than "$(cat my.anchor)"
            """)

    @OptionGroup var store: StoreArguments

    func run() throws {
        let anchor = try store.reading { try $0.anchor }
        try ByteOutput.print("\(anchor)\n")
    }
}
