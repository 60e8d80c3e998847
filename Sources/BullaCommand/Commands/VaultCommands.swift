internal import ArgumentParser
internal import Bulla
internal import BullaKeyPlaces
internal import BullaText

/// `bulla vault`: manages the vaults of a store.
struct VaultCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vault",
        abstract: "List, make, look into and drop vaults, which seal entries one by one.",
        usage: "bulla vault <verb> <store> [<name>] [<options>]",
        discussion: """
            A vault is a named secret inside a store, with slots of its own. The store may be \
            plain. Programs seal entries in it; each is opened only when it is read.

              bulla vault create my.bulla passwords \\
                --vault-key-source prompt --vault-password
              bulla vault open my.bulla passwords --tree logins --key mail \\
                --vault-key-source prompt --vault-password
            """,
        subcommands: [
            VaultListCommand.self, VaultCreateCommand.self, VaultDropCommand.self,
            VaultSlotsCommand.self, VaultAddSlotCommand.self, VaultChangeSlotCommand.self,
            VaultRemoveSlotCommand.self, VaultOpenCommand.self,
        ])
}

/// `bulla vault list`: lists the vaults.
struct VaultListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the vaults of a store.",
        usage: "bulla vault list <store> [<options>]",
        discussion: """
            One name per line, escaped as in bulla trees; with --json one object per line.

              bulla vault list my.bulla --key-file my.key
            """)

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: JSONArguments

    private struct Line: Encodable {
        let name: String
    }

    func run() throws {
        let names = try store.reading { opened in try opened.vaultNames() }
        let lines = names.map { name in
            output.json
                ? JSONOutput.line(Line(name: name)) : EscapedText.line(Array(name.utf8)) + "\n"
        }
        try ByteOutput.print(lines.joined())
    }
}

/// `bulla vault create`: makes a vault.
struct VaultCreateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make a vault.",
        usage: "bulla vault create <store> <name> --vault-key-source <source> [<options>]",
        discussion: """
              bulla vault create my.bulla passwords --key-file my.key \\
                --vault-key-source prompt --vault-password

            Anybody with a key of the store, or with the file of a plain store, can read the \
            vault's name and the label. Status 73: there is a vault of that name.
            """)

    @OptionGroup var store: StoreArguments
    @Argument(help: "The vault's name, in 1 to 255 bytes.") var name: String
    @OptionGroup(title: "Key of the vault") var vaultKey: VaultKeyArguments

    @Option(help: ArgumentHelp("The label of the vault's slot.", valueName: "label"))
    var label: String?

    @OptionGroup(title: "Key of the vault") var stretching: StretchingArguments
    @OptionGroup var output: JSONArguments

    func validate() throws {
        try KeyPlace.checkApart([store.key.place, vaultKey.place])
        guard vaultKey.vaultSlot == nil else {
            throw ValidationError("--vault-slot is for an existing vault; --label names a slot")
        }
        try stretching.validate(hasPassword: vaultKey.vaultPassword, as: "--vault-password")
    }

    func run() throws {
        let key = try store.storeKey()
        let ways = try vaultKey.key(
            within: store.timeout.duration, forNew: try stretching.chosen())
        try store.using(key, { _ in }) { opened in
            try opened.createVault(named: name, keys: [ways], labels: [label]).lock()
        }
    }
}

/// `bulla vault drop`: drops a vault.
struct VaultDropCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop",
        abstract: "Drop a vault: nothing that was sealed in it ever opens again.",
        usage: "bulla vault drop <store> <name> [<options>]",
        discussion: """
              bulla vault drop my.bulla passwords --key-file my.key

            The sealed entries stay where they are. Status 1: there is no such vault.
            """)

    @OptionGroup var store: StoreArguments
    @Argument(help: "The vault's name.") var name: String
    @OptionGroup var output: JSONArguments

    func run() throws { try store.writing { opened in try opened.dropVault(named: name) } }
}

/// `bulla vault slots`: lists the slots of a vault.
struct VaultSlotsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "slots",
        abstract: "List the slots of a vault.",
        usage: "bulla vault slots <store> <name> [<options>]",
        discussion: """
            One slot per line: number, kind, label, and how a password is stretched. These are \
            claims of the vault's record, which no key of the vault verifies.

              bulla vault slots my.bulla passwords --key-file my.key

            Status 1: there is no such vault.
            """)

    @OptionGroup var store: StoreArguments
    @Argument(help: "The vault's name.") var name: String
    @OptionGroup var output: JSONArguments

    func run() throws {
        let slots = try store.reading { opened in try opened.keySlots(ofVaultNamed: name) }
        try SlotAnswer(slots, isVerified: false)
            .print(isJSON: output.json, claimant: "vault's record")
    }
}
