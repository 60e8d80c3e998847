internal import ArgumentParser
internal import Bulla
internal import BullaText

/// `bulla keygen`: makes a key.
struct KeygenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keygen",
        abstract: "Make a new key.",
        discussion: """
            Writes 64 random bytes as 128 hexadecimal digits and a newline into a new file that \
            only you may read. The first 32 bytes are for AES-256, the others for HMAC-SHA-256. \
            If you lose the key, you lose the data. Keep a second copy apart from the store and \
            its backups: on paper, in a password manager, or on a disk in a drawer.

              bulla keygen my.key
              bulla keygen - | ssh backup 'umask 077; cat > my.key'

            An existing file is never overwritten (status 73).
            """)

    @Argument(
        help: "The file to make; - is standard output, unless that is a terminal.",
        completion: .file())
    var file: String

    @Flag(help: "Write the 64 bytes as they are.")
    var raw = false

    @OptionGroup var quiet: QuietArguments

    func run() throws {
        let key = try StoreKey.random()
        var text = try text(of: key)
        defer { text.wipe() }
        try file == "-" ? writeToOutput(text) : writeToFile(text)
        if !quiet.quiet { StandardError.write(advice) }
    }

    private var advice: String {
        let name = file == "-" ? "this key" : EscapedText.forTerminal(file)
        return """
            bulla: if you lose \(name), you lose the data: there is no other way in.
            bulla: keep a copy apart from the store and its backups, where only you can read it.

            """
    }

    private func text(of key: StoreKey) throws -> [UInt8] {
        var bytes: [UInt8] = []
        // Reserved, because an array that grows would leave a copy of the key in freed memory.
        bytes.reserveCapacity(StoreKey.byteCount)
        try key.withBytes { bytes.append($0) }
        guard !raw else { return bytes }
        defer { bytes.wipe() }
        var text: [UInt8] = []
        text.reserveCapacity(2 * StoreKey.byteCount + 1)
        Hex.append(bytes, to: &text)
        text.append(UInt8(ascii: "\n"))
        return text
    }

    private func writeToOutput(_ text: [UInt8]) throws {
        guard !Descriptor.standardOutput.isTerminal else {
            throw CommandError(
                .usage,
                "write a key to standard output: it is a terminal, which shows and keeps it; "
                    + "name a file")
        }
        try Descriptor.standardOutput.write(text[...])
    }

    private func writeToFile(_ text: [UInt8]) throws {
        let made = try Descriptor.creating(file)
        do {
            try made.write(text[...])
            try made.synchronize()
            try Descriptor.synchronizeFolder(of: file)
        } catch {
            Descriptor.remove(file)
            throw error
        }
    }
}
