internal import ArgumentParser
internal import Bulla
internal import BullaText

/// `bulla get`: writes one value.
struct GetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Write the value of a key to standard output.",
        usage: "bulla get <store> <tree> <key> [<options>]",
        discussion: """
            Writes exactly the bytes of the value. If standard output is a terminal, bytes that \
            could control it are shown as \\xNN, unless --raw is given.

              bulla get my.bulla pets rex --key-file my.key
              bulla get my.bulla photos rex --key-file my.key > rex.jpg

            Status 1: there is no such key, or no such tree. With --json the value is text if it \
            is UTF-8, otherwise base64; the member valueEncoding says which.
            """)

    /// The length in bytes of the longest value that is shown on a terminal.
    private static let terminalByteLimit = 1 << 20

    @OptionGroup var store: StoreArguments
    @Argument(help: TreeArgument.help) var tree: TreeArgument
    @Argument(help: "The key.") var key: String
    @Flag(help: "Write the bytes unchanged, even to a terminal.") var raw = false
    @OptionGroup var bytes: ByteArguments
    @OptionGroup var output: JSONArguments

    func run() throws {
        let key = try bytes.bytes(key, "KEY")
        try store.reading { opened in
            try opened.read { snapshot in
                let tree = try snapshot.tree(named: tree.name, of: store.store)
                guard try write(key, in: tree, of: snapshot) else {
                    throw CommandError(
                        .notFound, "get from \(store.store): no such key in the tree")
                }
            }
        }
    }

    /// - Returns: whether the tree has the key.
    private func write(
        _ key: [UInt8], in tree: Tree, of snapshot: borrowing Snapshot
    ) throws -> Bool {
        let isShown = !raw && Descriptor.standardOutput.isTerminal
        guard output.json || bytes.hex || isShown else {
            return try stream(key, in: tree, of: snapshot)
        }
        guard let byteCount = try snapshot.valueByteCount(forKey: key, in: tree) else {
            return false
        }
        try check(byteCount)
        var value: [UInt8] = []
        _ = try snapshot.streamValue(forKey: key, in: tree) { value.append($0) }
        let answer = ByteOutput()
        answer.buffer = output.json ? object(key, value) : shown(value)
        try answer.flush()
        return true
    }

    private func stream(
        _ key: [UInt8], in tree: Tree, of snapshot: borrowing Snapshot
    ) throws -> Bool {
        let answer = ByteOutput()
        let isThere = try snapshot.streamValue(forKey: key, in: tree) { part in
            answer.buffer.append(part)
            try answer.passOn()
        }
        try answer.flush()
        return isThere
    }

    private func check(_ byteCount: Int) throws {
        guard !output.json else { return try EntryPrinter.checkJSON(byteCount) }
        guard bytes.hex || byteCount <= Self.terminalByteLimit else {
            throw CommandError(
                .usage,
                "show a value of \(store.store): it has \(byteCount) bytes, and standard output is "
                    + "a terminal; write it to a file, or give --raw")
        }
    }

    private func object(_ key: [UInt8], _ value: [UInt8]) -> [UInt8] {
        var text = Array("{".utf8)
        JSONBytes.append("key", key, to: &text)
        text.append(UInt8(ascii: ","))
        JSONBytes.append("value", value, to: &text)
        return text + Array("}\n".utf8)
    }

    /// The value as hexadecimal digits, or escaped for a terminal.
    private func shown(_ value: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        if bytes.hex {
            Hex.append(value, to: &text)
        } else {
            EscapedText.append(value, as: .display, to: &text)
        }
        if text.last != UInt8(ascii: "\n") { text.append(UInt8(ascii: "\n")) }
        return text
    }
}
