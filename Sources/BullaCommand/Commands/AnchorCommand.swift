internal import ArgumentParser
internal import Bulla

/// `bulla anchor`: names the present moment.
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
