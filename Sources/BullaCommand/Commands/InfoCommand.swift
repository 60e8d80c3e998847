internal import ArgumentParser
internal import Bulla

/// `bulla info`: says what a store is.
struct InfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Say what a store is, and how large.",
        usage: "bulla info <store> [<options>]",
        discussion: """
              bulla info my.bulla --key-file my.key
              bulla info my.bulla --json --key-file my.key | jq .commit
            """)

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: JSONArguments

    func run() throws {
        let info = try store.reading { opened in
            try opened.info
        }
        try ByteOutput.print(output.json ? JSONOutput.line(info) : text(info))
    }

    private func text(_ info: StoreInfo) -> String {
        let lines = [
            ("store", EscapedText.forTerminal(info.path)),
            ("format", "version \(info.formatVersion)"),
            ("cipher", info.suite),
            ("page", "\(info.pageByteCount) bytes"),
            ("file", "\(info.fileIdentifier), \(Quantity.bytes(info.fileByteCount))"),
            ("history", info.historyIdentifier),
            ("commit", "\(info.commit), durable \(info.durableCommit)"),
            ("key epoch", "\(info.keyEpoch)"),
            ("trees", "\(info.treeCount)"),
            ("pages", pages(info)),
            ("limits", "keys \(info.keyByteLimit) bytes, values \(info.valueByteLimit) bytes"),
        ]
        return lines.map { name, text in
            name + String(repeating: " ", count: 11 - name.count) + text + "\n"
        }.joined()
    }

    private func pages(_ info: StoreInfo) -> String {
        "\(info.pageCount): \(info.livePageCount) live, \(info.freePageCount) free, "
            + "\(info.pendingPageCount) waiting for readers"
    }
}
