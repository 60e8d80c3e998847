internal import ArgumentParser
internal import BullaBenchKit
internal import BullaText

struct GrowthCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "growth",
        abstract: "Measures what becomes of random loads as stores grow, of Bulla and its peers.",
        discussion: """
            Each store is loaded with records of 123 bytes in random order, 10 000 a commit, in \
            one piece, each in a process of its own, in turn with the others. Figures are the \
            time of a record until its commit was acknowledged, and until nothing was put off any \
            more: checkpoints, compactions and flushes; bytes written a record; and the store's \
            files once it was closed. Encrypted Bulla is compared with plain, with RocksDB and \
            with LMDB; the others are compared with it, and each size with the first one.

            Exit status: 0 all aims met, 1 one missed, 2 undecided; 64 and above: the run failed, \
            and says why.
            """)

    @Option(help: "How many records, with commas between: from few to many.")
    var records = Values([300_000, 1_000_000])

    @Option(help: "How often everything is measured.")
    var rounds = 5

    @Option(help: "Bytes of each store's cache.")
    var cache = ByteCount(512 << 20)

    @Option(help: "Adds an encrypted store whose log may have so many bytes, such as 256M.")
    var log: ByteCount?

    @Option(help: "Peers, with commas between them; none for no peers.")
    var only: String?

    @Option(help: "The folder of the peers' programs; without this, the one of this program.")
    var programs: String?

    @Option(help: "Where stores are made, in a temporary folder.")
    var directory = "."

    @Option(help: ArgumentHelp("Where the result is written as JSON.", valueName: "file"))
    var json: String?

    func validate() throws {
        guard (1...100).contains(rounds), cache.count > 0 else {
            throw ValidationError("--rounds is 1 to 100, --cache some bytes")
        }
        guard records.list == records.list.sorted(), (records.list.first ?? 0) > 0 else {
            throw ValidationError("--records are some, from few to many")
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

/// Values with commas between them, each once.
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
