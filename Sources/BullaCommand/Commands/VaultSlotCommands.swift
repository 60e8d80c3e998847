internal import ArgumentParser
internal import Bulla
internal import BullaKeyPlaces

/// A vault, and the keys that open it.
struct VaultArguments: ParsableArguments {
    @OptionGroup var store: StoreArguments
    @Argument(help: "The vault's name.") var name: String
    @OptionGroup(title: "Key of the vault") var key: VaultKeyArguments

    /// Refuses a descriptor that is given for several keys.
    func checkApart(from other: KeyPlace? = nil) throws {
        try KeyPlace.checkApart([store.key.place, key.place, other])
    }

    /// Opens the vault, lets `body` change it, and closes its store.
    ///
    /// - Parameter newKey: the source of a new key, if `body` gets one; it is read before the store
    ///   is opened.
    func changing<R>(
        newKey: NewKeyArguments? = nil, _ body: (Vault, StoreKey?) throws(BullaError) -> R
    ) throws -> R {
        let storeKey = try store.storeKey()
        let vaultKey = try key.key(within: store.timeout.duration)
        let newKey = try newKey?.key(within: store.timeout.duration)
        return try store.using(storeKey, { _ in }) { opened in
            let vault = try opened.openVault(named: name, key: vaultKey)
            defer { vault.lock() }
            return try SlotNumber.named { () throws(BullaError) in try body(vault, newKey) }
        }
    }
}

/// `bulla vault add-slot`: adds a slot.
struct VaultAddSlotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add-slot",
        abstract: "Add a slot: one more key or password that opens a vault.",
        usage: "bulla vault add-slot <store> <name> --vault-key-source <source> "
            + "--new-key-source <source> [<options>]",
        discussion: """
            Prints the slot's number. Sealed entries stay as they are.

              bulla vault add-slot my.bulla passwords --key-file my.key \\
                --vault-key-source prompt --vault-password \\
                --new-key-file paper.key --label recovery

            Status 73: there are eight slots, or three passwords without a label.
            """)

    @OptionGroup var vault: VaultArguments
    @OptionGroup(title: "New key") var newKey: NewKeyArguments
    @OptionGroup var output: JSONArguments

    func validate() throws { try vault.checkApart(from: newKey.place) }

    func run() throws {
        let slot = try vault.changing(newKey: newKey) { vault, key throws(BullaError) in
            try key.map { key throws(BullaError) in
                try vault.addSlot(for: key, label: newKey.label)
            }
        }
        if let slot { try SlotNumber.print(slot, isJSON: output.json) }
    }
}

/// `bulla vault change-slot`: gives a slot another key.
struct VaultChangeSlotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "change-slot",
        abstract: "Give a slot of a vault another key or password.",
        usage: "bulla vault change-slot <store> <name> <number> --vault-key-source <source> "
            + "--new-key-source <source> [<options>]",
        discussion: """
            Sealed entries stay as they are: the former key, and a copy of the file from its \
            time, still reveal the vault's secret.

              bulla vault change-slot my.bulla passwords 1 --key-file my.key \\
                --vault-key-source prompt --vault-password \\
                --new-key-source prompt --new-password

            Status 1: there is no such vault or slot.
            """)

    @OptionGroup var vault: VaultArguments
    @Argument(help: "The slot, by its number in bulla vault slots.") var number: Int
    @OptionGroup(title: "New key") var newKey: NewKeyArguments
    @OptionGroup var output: JSONArguments

    func validate() throws { try vault.checkApart(from: newKey.place) }

    func run() throws {
        try vault.changing(newKey: newKey) { vault, key throws(BullaError) in
            guard let key else { return }
            try vault.changeSlot(number, to: key, label: newKey.label)
        }
    }
}

/// `bulla vault remove-slot`: removes a slot.
struct VaultRemoveSlotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove-slot",
        abstract: "Remove a slot: its key no longer opens the vault.",
        usage: "bulla vault remove-slot <store> <name> <number> --vault-key-source <source> "
            + "[<options>]",
        discussion: """
              bulla vault remove-slot my.bulla passwords 2 --key-file my.key \\
                --vault-key-source prompt --vault-password

            The last slot stays (status 64). Status 1: there is no such vault or slot.
            """)

    @OptionGroup var vault: VaultArguments
    @Argument(help: "The slot, by its number in bulla vault slots.") var number: Int
    @OptionGroup var output: JSONArguments

    func validate() throws { try vault.checkApart() }

    func run() throws {
        try vault.changing { vault, _ throws(BullaError) in try vault.removeSlot(number) }
    }
}
