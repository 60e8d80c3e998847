internal import ArgumentParser
internal import Bulla
internal import BullaKeyPlaces
internal import BullaText

/// `bulla compact`: writes a dense copy.
struct CompactCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Write a dense copy of a store, with the same key, another one, or none.",
        usage: "bulla compact <store> <target> [<options>]",
        discussion: """
            The store itself does not change, and others can use it meanwhile: the copy shows \
            one moment. An existing file is never overwritten (status 73).

              bulla compact my.bulla dense.bulla --key-file my.key
              bulla compact my.bulla new.bulla --key-file my.key --target-key-file new.key
              bulla compact my.bulla plain.bulla --key-file my.key --plain
            """)

    @OptionGroup var store: StoreArguments
    @Argument(help: "The file to make.", completion: .file()) var target: String

    @Option(
        help: ArgumentHelp("A file that holds the key of the copy.", valueName: "file"),
        completion: .file())
    var targetKeyFile: String?

    @Option(
        help: ArgumentHelp("An open descriptor to read the copy's key from.", valueName: "number"))
    var targetKeyFd: Int32?

    @Flag(help: "Make a plain copy, readable by everyone who has the file.") var plain = false
    @OptionGroup(title: "New store") var creation: CreationArguments
    @OptionGroup var output: JSONArguments
    @OptionGroup var quiet: QuietArguments

    /// The answer with `--json`.
    private struct Summary: Encodable {
        let sourceBytes: UInt64
        let targetBytes: UInt64
    }

    func validate() throws {
        let keys = [targetKeyFile != nil, targetKeyFd != nil, plain]
        guard keys.count(where: { $0 }) <= 1 else {
            throw ValidationError(
                "--target-key-file, --target-key-fd and --plain exclude each other")
        }
        try KeyPlace.checkApart([store.key.place, targetPlace])
        try creation.validate(hasKey: hasTargetKey)
    }

    /// Whether the copy is encrypted.
    private var hasTargetKey: Bool { !plain && (store.key.isGiven || targetPlace != nil) }

    /// The place from which the copy's own key is read; `nil` if no such key is given.
    private var targetPlace: KeyPlace? {
        targetKeyFile.map { .keyFile($0) } ?? targetKeyFd.map { .descriptor($0) }
    }

    func run() throws {
        let key = try store.storeKey()
        let targetKey = try targetKey(of: key)
        let summary = try store.using(key, { $0.access = .readOnly }) { opened in
            try compact(opened, key: targetKey)
        }
        if output.json {
            try ByteOutput.print(JSONOutput.line(summary))
        } else if !quiet.quiet {
            try ByteOutput.print(
                "\(Quantity.bytes(summary.sourceBytes)) became "
                    + "\(Quantity.bytes(summary.targetBytes))\n")
        }
    }

    /// The key of the copy: its own key if one is given, otherwise the store's key.
    private func targetKey(of key: StoreKey?) throws -> StoreKey? {
        guard !plain else { return nil }
        guard let targetPlace else { return key }
        return try KeyRequest(place: targetPlace).key(within: store.timeout.duration)
    }

    private func compact(_ opened: Store, key: StoreKey?) throws -> Summary {
        let progress = ProgressBar(
            "compact", unit: .entries, total: try entryCount(opened),
            isQuiet: quiet.quiet || output.json)
        defer { progress.finish() }
        var options = StoreOptions()
        creation.apply(to: &options)
        do {
            try opened.compact(to: target, key: key, options: options) { progress.update($0) }
        } catch {
            throw CommandError(error, as: error.code == .invalidArgument ? .cannotCreate : nil)
        }
        return Summary(
            sourceBytes: try Descriptor.byteCount(ofFile: store.store) ?? 0,
            targetBytes: try Descriptor.byteCount(ofFile: target) ?? 0)
    }

    private func entryCount(_ opened: Store) throws -> Int {
        try opened.read { snapshot in
            var trees: [Tree] = []
            try snapshot.forEachTree { _, tree in trees.append(tree) }
            var sum = 0
            for tree in trees { sum.add(try snapshot.count(of: tree)) }
            return sum
        }
    }
}
