internal import ArgumentParser
internal import Bulla
internal import BullaKeyPlaces

/// `bulla key add`: adds a slot.
struct KeyAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a slot: one more key or password that opens a store.",
        usage: "bulla key add <store> --key-file <file> --new-key-file <file> [<options>]",
        discussion: """
            Prints the slot's number. It costs 4 KiB, whatever the size of the store.

              bulla key add my.bulla --key-file my.key \\
                --new-key-source prompt --new-password --label ada
              bulla keygen paper.key
              bulla key add my.bulla --key-file my.key \\
                --new-key-file paper.key --label recovery

            Status 73: there are eight slots, or three passwords without a label. Anybody with the \
            file can read the labels.
            """)

    @OptionGroup var store: StoreArguments
    @OptionGroup(title: "New key") var newKey: NewKeyArguments
    @OptionGroup var output: JSONArguments

    func validate() throws {
        try store.key.validateGiven()
        try KeyPlace.checkApart([store.key.place, newKey.place])
    }

    func run() throws {
        let key = try store.storeKey()
        let added = try newKey.key(within: store.timeout.duration)
        let slot = try store.using(key, { _ in }) { opened in
            try opened.addSlot(for: added, label: newKey.label)
        }
        try SlotNumber.print(slot, isJSON: output.json)
    }
}

/// `bulla key remove`: removes a slot.
struct KeyRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a slot: its key no longer opens the store.",
        usage: "bulla key remove <store> <number> --key-file <file> [<options>]",
        discussion: """
              bulla key remove my.bulla 2 --key-file my.key

            That key and an older copy of the file together still open what is written later; \
            bulla key reencrypt ends that. The last slot stays (status 64). Status 1: there is no \
            such slot.
            """)

    @OptionGroup var store: StoreArguments
    @Argument(help: "The slot, by its number in bulla key list.") var number: Int
    @OptionGroup var output: JSONArguments

    func validate() throws { try store.key.validateGiven() }

    func run() throws {
        try store.writing { opened in
            try SlotNumber.named { () throws(BullaError) in try opened.removeSlot(number) }
        }
    }
}

/// `bulla key change`: gives a slot another key.
struct KeyChangeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "change",
        abstract: "Give a slot another key or password.",
        usage: "bulla key change <store> [<number>] --new-key-file <file> [<options>]",
        discussion: """
            It takes only a moment, while others go on using the store. Afterwards the former key \
            opens nothing. Without a number, it changes the slot that opens the store.

              bulla keygen new.key
              bulla key change my.bulla --key-file my.key --new-key-file new.key

            The pages stay as they are: the former key and an older copy of the file together \
            still open what is written later; bulla key reencrypt ends that. Status 1: there is \
            no such slot.
            """)

    @OptionGroup var store: StoreArguments
    @Argument(help: "The slot, by its number in bulla key list.") var number: Int?
    @OptionGroup(title: "New key") var newKey: NewKeyArguments
    @OptionGroup var output: JSONArguments

    func validate() throws {
        try store.key.validateGiven()
        try KeyPlace.checkApart([store.key.place, newKey.place])
    }

    func run() throws {
        let key = try store.storeKey()
        let changed = try newKey.key(within: store.timeout.duration)
        try store.using(key, { _ in }) { opened in
            guard let slot = number ?? opened.openedSlot else {
                // The store is plain, and the engine throws an error that says so.
                return try opened.changeKey(to: changed)
            }
            try SlotNumber.named { () throws(BullaError) in
                try opened.changeSlot(slot, to: changed, label: newKey.label)
            }
        }
    }
}

/// Operations on a slot that is given by its number.
enum SlotNumber {
    private struct Answer: Encodable {
        let slot: Int
    }

    /// Prints the number of an added slot.
    static func print(_ slot: Int, isJSON: Bool) throws {
        try ByteOutput.print(isJSON ? JSONOutput.line(Answer(slot: slot)) : "\(slot)\n")
    }

    /// Runs an operation on a slot.
    ///
    /// - Throws: ``CommandExit/notFound`` if there is no such slot.
    static func named<R>(_ body: () throws(BullaError) -> R) throws -> R {
        do { return try body() } catch {
            throw CommandError(error, as: error.code == .keySlotNotFound ? .notFound : nil)
        }
    }
}
