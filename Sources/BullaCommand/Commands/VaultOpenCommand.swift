internal import ArgumentParser
internal import Bulla
internal import BullaKeyPlaces
internal import BullaText

/// `bulla vault open`: opens a sealed blob.
struct VaultOpenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Write the cleartext of one sealed entry to standard output.",
        usage: "bulla vault open <store> <name> --tree <tree> --key <key> [<options>]",
        discussion: """
            Writes exactly the bytes that were sealed. If standard output is a terminal, bytes \
            that could control it are shown as \\xNN, unless --raw is given. With --json the \
            member cleartext is text if it is UTF-8, otherwise base64; cleartextEncoding says \
            which.

              bulla vault open my.bulla passwords --tree logins --key mail \\
                --key-file my.key --vault-key-source prompt --vault-password

            Status 1: there is no such vault, tree or key. Status 2: the sealed entry was changed, \
            or moved. Status 77: it belongs to another vault, or the password is wrong.
            """)

    @OptionGroup var store: StoreArguments
    @Argument(help: "The vault's name.") var name: String
    @OptionGroup(title: "Key of the vault") var vaultKey: VaultKeyArguments
    @Option(help: TreeArgument.help) var tree: TreeArgument
    @Option(help: "The key of the sealed entry.") var key: String

    @Option(
        help: ArgumentHelp(
            "The property that was sealed; 0 is the whole entity.", valueName: "number"))
    var property: UInt32 = 0

    @Option(help: ArgumentHelp("The version that was sealed.", valueName: "number"))
    var sequence: UInt64 = 0

    @Flag(help: "Write the bytes unchanged, even to a terminal.") var raw = false
    @OptionGroup var bytes: ByteArguments
    @OptionGroup var output: JSONArguments

    func validate() throws { try KeyPlace.checkApart([store.key.place, vaultKey.place]) }

    func run() throws {
        let storeKey = try store.storeKey()
        let vaultKey = try vaultKey.key(within: store.timeout.duration)
        try store.using(storeKey, { $0.access = .readOnly }) { opened in
            let (blob, identity) = try find(in: opened)
            let vault = try opened.openVault(
                named: name, key: vaultKey,
                lentByteLimit: max(Vault.defaultLentByteLimit, 2 * blob.count))
            try vault.open(blob, for: identity) { cleartext in try write(cleartext) }
        }
    }

    private func find(in opened: Store) throws -> ([UInt8], SealedIdentity) {
        let key = try bytes.bytes(key, "--key")
        return try opened.read { snapshot in
            let tree = try snapshot.tree(named: tree.name, of: store.store)
            guard let blob = try snapshot.value(forKey: key, in: tree) else {
                throw CommandError(.notFound, "open in \(store.store): no such key in the tree")
            }
            return (
                blob,
                SealedIdentity(tree: tree, key: key, property: property, sequence: sequence)
            )
        }
    }

    private func write(_ cleartext: RawSpan) throws {
        var text: [UInt8] = []
        // Reserved, because an array that grows would leave a copy of the cleartext in freed
        // memory.
        text.reserveCapacity(cleartext.byteCount)
        text.append(cleartext)
        defer { text.wipe() }
        let isShown = !raw && Descriptor.standardOutput.isTerminal
        guard output.json || bytes.hex || isShown else {
            return try Descriptor.standardOutput.write(text[...])
        }
        if output.json { try EntryPrinter.checkJSON(text.count) }
        var shown: [UInt8] = []
        // The longest escape of a byte is `\u00NN`.
        shown.reserveCapacity(6 * text.count + 64)
        defer { shown.wipe() }
        append(text, to: &shown)
        shown.append(UInt8(ascii: "\n"))
        try Descriptor.standardOutput.write(shown[...])
    }

    /// Appends the cleartext in the requested form.
    private func append(_ text: [UInt8], to shown: inout [UInt8]) {
        guard output.json else {
            return bytes.hex
                ? Hex.append(text, to: &shown)
                : EscapedText.append(text, as: .display, to: &shown)
        }
        shown.append(UInt8(ascii: "{"))
        JSONBytes.append("cleartext", text, to: &shown)
        shown.append(UInt8(ascii: "}"))
    }
}
