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
        let answer = try store.reading { opened in
            Answer(info: try opened.info, statistics: try opened.statistics())
        }
        try ByteOutput.print(
            output.json ? JSONOutput.line(answer) : text(answer.info, answer.statistics))
    }

    /// The facts, and beside them the counts of those who have the store open now.
    private struct Answer: Encodable {
        let info: StoreInfo
        let statistics: StoreStatistics

        private enum Key: String, CodingKey {
            case statistics
        }

        func encode(to encoder: any Encoder) throws {
            try info.encode(to: encoder)
            var members = encoder.container(keyedBy: Key.self)
            try members.encode(statistics, forKey: .statistics)
        }
    }

    private func text(_ info: StoreInfo, _ counts: StoreStatistics) -> String {
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
            ("snapshots", snapshots(info)),
            (
                "shared",
                "\(counts.commits) commits, \(counts.flushes) flushes, \(counts.waits) waits "
                    + "since the first of those who have it open"
            ),
            ("room", room(info)),
            ("limits", "keys \(info.keyByteLimit) bytes, values \(info.valueByteLimit) bytes"),
        ]
        return lines.map { name, text in
            name + String(repeating: " ", count: 11 - name.count) + text + "\n"
        }.joined()
    }

    private func snapshots(_ info: StoreInfo) -> String {
        let oldest = info.oldestSnapshotCommit.map { ", the oldest of commit \($0)" } ?? ""
        return "\(info.snapshotCount) open\(oldest)"
    }

    private func room(_ info: StoreInfo) -> String {
        let left = info.availableByteCount.map { "\(Quantity.bytes($0)) left on the disk" }
        let limit = info.fileByteLimit.map { "files of this process up to \(Quantity.bytes($0))" }
        return [left ?? "not known", limit].compactMap { $0 }.joined(separator: ", ")
    }

    private func pages(_ info: StoreInfo) -> String {
        "\(info.pageCount): \(info.livePageCount) live, \(info.freePageCount) free, "
            + "\(info.pendingPageCount) waiting for readers"
    }
}
