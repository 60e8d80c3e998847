internal import ArgumentParser
internal import BullaBenchKit
internal import BullaText

struct SealingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sealing",
        abstract: "Measures what keys, passwords, vaults and re-encryption cost.",
        discussion: """
            The same records are kept plain, in sealed pages, sealed one by one in plain and in \
            sealed pages, and with one sealed field. All forms are saved, fetched, opened and \
            listed, in slices that take turns. A ratio is to the plain form, with a 95 % interval \
            from the spread of the rounds. Then come single blobs, passwords, and a large store \
            whose slots change and which is re-encrypted. A figure with an aim meets it or misses \
            it; it is undecided where its interval contains the aim, and after fewer than five \
            rounds.

            Exit status: 0 all aims met, 1 one missed, 2 undecided; 64 and above: the run failed; \
            the message says why.
            """)

    @Option(help: "Records of 200 bytes in each form.")
    var records = 10_000

    @Option(help: "Bytes of the large store, such as 64M.")
    var size = ByteCount(1 << 30)

    @Option(help: "Rounds of the slow measurements; the others have four times as many.")
    var rounds = 5

    @Option(help: "Seconds for which commits are counted, each time.")
    var seconds = 2.0

    @Option(help: "The folder in which a temporary folder for the stores is made.")
    var directory = "."

    @Option(help: ArgumentHelp("Where the result is written as JSON.", valueName: "file"))
    var json: String?

    func validate() throws {
        guard (1...1_000_000).contains(records), (1 << 20...1 << 40).contains(size.count) else {
            throw ValidationError("--records is 1 to 1000000, --size 1M to 1024G")
        }
        guard (1...100).contains(rounds), (0.01...600).contains(seconds) else {
            throw ValidationError("--rounds is 1 to 100, --seconds 0.01 to 600")
        }
    }

    func run() throws {
        try report {
            Interruption.shared.listen()
            if let json { try Folder.checkWritable(json) }
            var run = SealingRun(program: try Executable.path())
            (run.recordCount, run.largeByteCount) = (records, size.count)
            (run.roundCount, run.directory) = (rounds, directory)
            run.commitNanoseconds = UInt64(seconds * 1e9)
            let result = try run.result { Terminal.write("\($0)\n") }
            print(result.lines.joined(separator: "\n"))
            if let json { try Descriptor.replace(json).write(result.json()) }
            return result.verdict.exit
        }
    }
}
