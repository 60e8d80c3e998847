internal import ArgumentParser
internal import Bulla
internal import BullaText

/// `bulla put`: stores one value.
struct PutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Store a value under a key.",
        usage: "bulla put <store> <tree> <key> [<value>] [<options>]",
        discussion: """
            The value is the argument, a file, or standard input, byte for byte. It replaces an \
            existing value; a missing tree is made. When the command ends with status 0, the \
            value is durable.

              bulla put my.bulla pets rex "a good dog" --key-file my.key
              bulla put my.bulla photos rex --value-file rex.jpg --key-file my.key
              bulla put my.bulla bytes 00ff 0102 --hex --key-file my.key
              bulla put my.bulla pets --key-file my.key -- -a-dash-first value

            Other users of the machine can see a value on the command line while the command runs, \
            so give a secret value in a file or on standard input.
            """)

    /// A value up to this size is read before the transaction begins, so that other writers do not
    /// wait for a slow input.
    private static let wholeValueByteLimit = 16 << 20

    @OptionGroup var store: StoreArguments
    @Argument(help: TreeArgument.help) var tree: TreeArgument
    @Argument(help: "The key, at least one byte.") var key: String
    @Argument(help: "The value; without it and without --value-file, standard input.")
    var value: String?

    @Option(
        help: ArgumentHelp("A file with the value; - is standard input.", valueName: "file"),
        completion: .file())
    var valueFile: String?

    @OptionGroup var bytes: ByteArguments

    func validate() throws {
        guard value == nil || valueFile == nil else {
            throw ValidationError("a value and --value-file exclude each other")
        }
        guard value != nil || !store.key.takesStandardInput || (valueFile ?? "-") != "-" else {
            throw ValidationError("key and value cannot both come from standard input")
        }
    }

    func run() throws {
        // Reads the store's key before opening any file: if the descriptor of `--key-fd` is not
        // open, the first file to be opened could get its number, and the key would be read from
        // that file.
        let storeKey = try store.storeKey()
        let key = try bytes.bytes(key, "KEY")
        if let value = try bytes.bytes(value, "VALUE") {
            return try put(key, value, rest: nil, storeKey)
        }
        let path = valueFile ?? "-"
        let input: Descriptor =
            path == "-" ? .standardInput : try .reading(path, within: store.timeout.duration)
        var start: [UInt8] = []
        let isWhole = try input.read(into: &start, upTo: Self.wholeValueByteLimit)
        try put(key, start, rest: isWhole ? nil : input, storeKey)
    }

    /// - Parameter rest: the source of the rest of the value; `nil` if `value` is the whole value.
    private func put(
        _ key: [UInt8], _ value: [UInt8], rest: Descriptor?, _ storeKey: StoreKey?
    ) throws {
        try store.using(storeKey, { _ in }) { opened in
            try opened.write { transaction in
                let tree = try transaction.openOrCreateTree(named: tree.name)
                guard let rest else { return try transaction.put(value, forKey: key, in: tree) }
                try transaction.putStream(forKey: key, in: tree) { write in
                    try value.withBytes(write)
                    try rest.forEachChunk { try $0.withBytes(write) }
                }
            }
        }
    }
}
