internal import ArgumentParser
internal import BullaBenchKit
internal import BullaText

struct RecordsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "records",
        abstract: "Measures what encrypted fields and assets of records cost.",
        discussion: """
            Records of ten fields are kept in two encrypted stores: all fields plain in one, five \
            of them encrypted in the other. Both stores are saved to, fetched from with all \
            fields, queried by an index and followed page by page, in slices that take turns. \
            Figures are processor time per record. A ratio is to the plain fields, with a 95 % \
            interval from the spread of the rounds. Then a file is saved and read back as an \
            asset, in turn with the same bytes put into the same store in chunks of 1M, one commit \
            each, and streamed into it as one value. These figures are times, and the memory by \
            which the process grew; a first round, in which the store's file grows, does not \
            count. A figure with an aim meets it or misses it; it is undecided where its interval \
            contains the aim, and after fewer than five rounds.

            Exit status: 0 all aims met, 1 one missed, 2 undecided; 64 and above: the run failed; \
            the message says why.
            """)

    @Option(help: "Records in each store.")
    var records = 4_000

    @Option(help: "Bytes of the asset, such as 10M; 50M at most.")
    var size = ByteCount(50 << 20)

    @Option(help: "Rounds of the assets; everything else has four times as many.")
    var rounds = 5

    @Option(help: "The folder in which a temporary folder for the stores is made.")
    var directory = "."

    @Option(help: ArgumentHelp("Where the result is written as JSON.", valueName: "file"))
    var json: String?

    func validate() throws {
        guard (1...1_000_000).contains(records), (1...50 << 20).contains(size.count) else {
            throw ValidationError("--records is 1 to 1000000, --size 1 to 50M")
        }
        guard (1...100).contains(rounds) else { throw ValidationError("--rounds is 1 to 100") }
    }

    func run() throws {
        try report {
            Interruption.shared.listen()
            if let json { try Folder.checkWritable(json) }
            var run = RecordLayerRun()
            (run.recordCount, run.assetByteCount) = (records, size.count)
            (run.roundCount, run.directory) = (rounds, directory)
            let result = try run.result { Terminal.write("\($0)\n") }
            print(result.lines.joined(separator: "\n"))
            if let json { try Descriptor.replace(json).write(result.json()) }
            return result.verdict.exit
        }
    }
}
