internal import ArgumentParser
internal import Bulla

/// `bulla rekey`: gives a store another key.
struct RekeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rekey",
        abstract: "Give a store another key.",
        usage: "bulla rekey <store> --key-file <file> --new-key-file <file> [<options>]",
        discussion: """
            The key is changed in place, in a moment, while others go on using the store. \
            Afterwards the former key opens nothing.

              bulla keygen new.key
              bulla rekey my.bulla --key-file my.key --new-key-file new.key

            The pages stay as they are: who had the former key and an older copy of the file can \
            still read what is written later. bulla compact makes a copy under new data keys.
            """)

    @OptionGroup var store: StoreArguments

    @Option(
        help: ArgumentHelp("A file that holds the new key.", valueName: "file"),
        completion: .file())
    var newKeyFile: String?

    @Option(
        help: ArgumentHelp("An open descriptor to read the new key from.", valueName: "number"))
    var newKeyFd: Int32?

    func validate() throws {
        guard (newKeyFile == nil) != (newKeyFd == nil) else {
            throw ValidationError("one of --new-key-file and --new-key-fd is needed")
        }
        guard store.key.keyFd == nil || store.key.keyFd != newKeyFd else {
            throw ValidationError("a descriptor gives one key: read one of the two from elsewhere")
        }
    }

    func run() throws {
        let key = try store.storeKey()
        let source = KeySource(file: newKeyFile, descriptor: newKeyFd)
        guard let newKey = try source.key(within: store.timeout.duration) else { return }
        try store.using(key, { _ in }) { opened in try opened.changeKey(to: newKey) }
    }
}
