internal import ArgumentParser
internal import BullaBenchKit
internal import BullaText

struct GrowthCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "growth",
        abstract: "Measures random loads of Bulla and its peers as the stores grow.",
        discussion: """
            Each store is loaded with records of 123 bytes in random order, 10 000 a commit, \
            without a break. Each load has a process of its own; the stores take turns. The \
            figures are the time per record until its commit was acknowledged, and until no work \
            was left (checkpoints, compactions, flushes); the bytes written per record; and the \
            size of the store's files after closing. Encrypted Bulla is compared with plain Bulla, \
            RocksDB and LMDB, the other peers with encrypted Bulla, and each size with the first.

            Exit status: 0 all aims met, 1 one missed, 2 undecided; 64 and above: the run failed; \
            the message says why.
            """)

    @Option(help: "Numbers of records, in ascending order, separated by commas.")
    var records = Values([300_000, 1_000_000])

    @Option(help: "How many times everything is measured.")
    var rounds = 5

    @Option(help: "Bytes of each store's cache.")
    var cache = ByteCount(512 << 20)

    @Option(help: "Adds an encrypted store whose log can have this many bytes, such as 256M.")
    var log: ByteCount?

    @Option(help: "Peers, separated by commas; 'none' for no peers.")
    var only: String?

    @Option(help: "The folder of the peers' programs; by default, that of this program.")
    var programs: String?

    @Option(help: "The folder in which a temporary folder for the stores is made.")
    var directory = "."

    @Option(help: ArgumentHelp("Where the result is written as JSON.", valueName: "file"))
    var json: String?

    func validate() throws {
        guard (1...100).contains(rounds), cache.count > 0 else {
            throw ValidationError("--rounds is 1 to 100, --cache more than 0")
        }
        guard records.list == records.list.sorted(), (records.list.first ?? 0) > 0 else {
            throw ValidationError("--records are positive and in ascending order")
        }
        guard (128 << 10...4 << 30).contains(log?.count ?? 128 << 10) else {
            throw ValidationError("--log is 128K to 4G")
        }
    }

    func run() throws {
        try report {
            Interruption.shared.listen()
            if let json { try Folder.checkWritable(json) }
            let peers = only == "none" ? [] : try Peer.named(only)
            let lineup = try Peer.lineup(peers, programs: programs, workerCount: 1)
            var run = GrowthRun()
            (run.recordCounts, run.roundCount) = (records.list, rounds)
            (run.cacheByteCount, run.logByteCount) = (cache.count, log?.count)
            run.directory = directory
            let result = try run.result(lineup) { Terminal.write("\($0)\n") }
            print(result.lines.joined(separator: "\n"))
            if let json { try Descriptor.replace(json).write(result.json()) }
            return result.verdict.exit
        }
    }
}

/// Distinct values, separated by commas.
struct Values<Value: LosslessStringConvertible & Hashable & Sendable>: ExpressibleByArgument,
    CustomStringConvertible
{
    let list: [Value]

    init(_ list: [Value]) { self.list = list }

    init?(argument: String) {
        let words = argument.split(separator: ",", omittingEmptySubsequences: false)
        let values = words.compactMap { Value(String($0)) }
        guard values.count == words.count, Set(values).count == values.count else { return nil }
        list = values
    }

    var description: String { list.map(\.description).joined(separator: ",") }
}
