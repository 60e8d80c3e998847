internal import ArgumentParser
internal import Bulla

/// `bulla create`: makes a store.
struct CreateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make a new, empty store.",
        usage: "bulla create <store> [<options>]",
        discussion: """
            With a key the store is encrypted, and without one plain, for as long as it exists. An \
            existing file is never overwritten (status 73).

              bulla create my.bulla --key-file my.key
              bulla create plain.bulla --page-size 16384
            """)

    @OptionGroup var store: StoreArguments
    @OptionGroup(title: "New store") var creation: CreationArguments
    @OptionGroup var output: JSONArguments

    func validate() throws { try creation.validate(hasKey: store.key.isGiven) }

    func run() throws {
        let info = try store.writing { options in
            options.creation = .exclusive
            creation.apply(to: &options)
        } _: { opened in
            try opened.info
        }
        if output.json { try ByteOutput.print(JSONOutput.line(info)) }
    }
}
