internal import ArgumentParser
internal import Bulla

/// `bulla scan`: writes the entries of a tree in order.
struct ScanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "Write the entries of a tree, in the order of their keys.",
        usage: "bulla scan <store> <tree> [<options>]",
        discussion: """
            One entry per line: key, tab, value. Unprintable bytes are escaped, so that an entry \
            is one line and cannot control a terminal: \\\\ is a backslash; \\t, \\n and \\r are \
            tab, newline and carriage return; \\xNN is any other byte. --raw writes the bytes \
            unchanged, --hex as digits, --json as one object per line, in base64 if they are not \
            UTF-8.

              bulla scan my.bulla pets --key-file my.key
              bulla scan my.bulla pets --prefix r --limit 10 --key-file my.key
              bulla scan my.bulla pets --from a --to n --reverse --key-file my.key
              bulla scan my.bulla pets --prefix r --count --key-file my.key

            The entries show one moment, whatever others write meanwhile.
            """)

    @OptionGroup var store: StoreArguments
    @Argument(help: TreeArgument.help) var tree: TreeArgument
    @OptionGroup var range: RangeArguments
    @Flag(help: "From the last key to the first.") var reverse = false
    @Option(help: ArgumentHelp("Write at most this many entries.", valueName: "number"))
    var limit: UInt64?
    @Flag(help: "Write only the keys.") var keysOnly = false
    @Flag(help: "Write only the number of entries.") var count = false
    @Flag(help: "Write the bytes unchanged.") var raw = false
    @OptionGroup var bytes: ByteArguments
    @OptionGroup var output: JSONArguments

    func validate() throws {
        guard [raw, bytes.hex, output.json].count(where: { $0 }) <= 1 else {
            throw ValidationError("--raw, --hex and --json exclude each other")
        }
        guard !count || !(raw || keysOnly || reverse) else {
            throw ValidationError("--count excludes --raw, --keys-only and --reverse")
        }
    }

    func run() throws {
        let bounds = try range.bounds(bytes)
        try store.reading { opened in
            try opened.read { snapshot in
                let tree = try snapshot.tree(named: tree.name, of: store.store)
                if count { return try printCount(of: tree, in: bounds, snapshot) }
                let order = reverse ? ScanOrder.descending : .ascending
                try print(EntryWalk(snapshot, tree, bounds, order: order), of: snapshot)
            }
        }
    }

    /// Prints the number of entries, without reading values; for a whole tree, the store knows the
    /// number.
    private func printCount(
        of tree: Tree, in bounds: KeyBounds, _ snapshot: borrowing Snapshot
    ) throws {
        let most = limit ?? .max
        var found: UInt64 = 0
        if bounds.isAll {
            found = min(UInt64(try snapshot.count(of: tree)), most)
        } else {
            var walk = try EntryWalk(snapshot, tree, bounds)
            while found < most, try walk.next() { found += 1 }
        }
        try ByteOutput.print(output.json ? "{\"entryCount\":\(found)}\n" : "\(found)\n")
    }

    private func print(_ walk: consuming EntryWalk, of snapshot: borrowing Snapshot) throws {
        var printer = EntryPrinter(form: form, hasValues: !keysOnly)
        var left = limit ?? .max
        while left > 0, try walk.next() {
            try printer.print(walk, of: snapshot)
            left -= 1
        }
        try printer.output.flush()
    }

    private var form: EntryPrinter.Form {
        output.json ? .json : bytes.hex ? .hex : raw ? .raw : .text
    }
}
