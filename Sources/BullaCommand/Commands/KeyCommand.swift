internal import ArgumentParser
internal import Bulla

/// `bulla key`: manages the slots and secrets of a store.
struct KeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "List, add, change and remove the keys of a store; renew its secrets.",
        usage: "bulla key <verb> <store> [<options>]",
        discussion: """
            A store has up to eight slots. Each opens the store by itself: with a key of 64 \
            bytes, a password, or a key service.

              bulla key add my.bulla --key-file my.key --new-key-source prompt --new-password
              bulla key list my.bulla
              bulla get my.bulla pets rex --key-source prompt --password

            A former key and an older copy of the file together still open what is written after \
            add, change, remove and rotate, but nothing that is written after reencrypt has ended.
            """,
        subcommands: [
            KeyListCommand.self, KeyVerifyCommand.self, KeyAddCommand.self,
            KeyRemoveCommand.self, KeyChangeCommand.self, KeyRotateCommand.self,
            KeyReencryptCommand.self,
        ])
}

/// `bulla key list`: lists the slots.
struct KeyListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the slots of a store.",
        usage: "bulla key list <store> [<options>]",
        discussion: """
            One slot per line: number, kind, label, and how a password is stretched. Without a \
            key, these are only claims of the file, and standard error says so.

              bulla key list my.bulla
              bulla key list my.bulla --json --key-file my.key | jq .openedSlot
            """)

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: JSONArguments

    func run() throws {
        let answer = store.key.isGiven ? try verified() : try claimed()
        try answer.print(isJSON: output.json, claimant: "file")
    }

    private func verified() throws -> SlotAnswer {
        try store.reading { opened in
            SlotAnswer(
                try opened.keySlots(), isVerified: true, openedSlot: opened.openedSlot)
        }
    }

    private func claimed() throws -> SlotAnswer {
        do {
            return SlotAnswer(try Store.keySlots(at: store.store), isVerified: false)
        } catch {
            var failure = CommandError(error)
            // The user gave no key, so the message must not suggest leaving it out.
            if error.code == .notEncrypted { failure.message = error.message }
            throw failure
        }
    }
}

/// `bulla key verify`: says whether a key opens a store.
struct KeyVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Say by the exit status whether a key opens a store.",
        usage: "bulla key verify <store> --key-source <source> [<options>]",
        discussion: """
            Reads only the keyring, takes no lock and writes nothing. Status 0: the key opens the \
            store. Status 77: it does not.

              bulla key verify my.bulla --key-file recovery.key && echo good
            """)

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: JSONArguments

    func validate() throws { try store.key.validateGiven() }

    func run() throws {
        guard let key = try store.storeKey() else { return }
        guard try Store.verifyKey(key, at: store.store) else {
            throw BullaError(.wrongKey, "verify a key of \(store.store): it opens no slot")
        }
    }
}
