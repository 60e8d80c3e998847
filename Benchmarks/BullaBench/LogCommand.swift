internal import ArgumentParser
internal import BullaBenchKit
internal import BullaText

struct LogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Measures commits during checkpoints, full memtables, and opening after a kill.",
        discussion: """
            The stores, plain and encrypted in turn, have a full log: nine tenths of --log wait in \
            one half of it, and no checkpoint runs by itself. Durable commits are timed while the \
            log waits, during the checkpoint that takes it over, and during endless checkpoints. \
            Hot reads and scans of a store with a full log are compared with those of a store \
            whose log was just taken over; the commits in the log change the lower half of the \
            records. A worker fills a log and is killed, and the store is opened again. Commits \
            that change three trees take turns with commits that change one. A figure with an aim \
            meets it or misses it; it is undecided where its interval contains the aim, and after \
            fewer than five rounds.

            Exit status: 0 all aims met, 1 one missed, 2 undecided; 64 and above: the run failed; \
            the message says why.
            """)

    @Option(help: "Records of 123 bytes in each store.")
    var records = 300_000

    @Option(help: "Bytes of a full log, such as 64M.")
    var log = ByteCount(64 << 20)

    @Option(help: "How many times everything is measured.")
    var rounds = 5

    @Option(help: "Seconds for which commits are timed, each time.")
    var seconds = 1.0

    @Option(help: "The folder in which a temporary folder for the stores is made.")
    var directory = "."

    @Option(help: ArgumentHelp("Where the result is written as JSON.", valueName: "file"))
    var json: String?

    func validate() throws {
        guard (1_000...10_000_000).contains(records), (4 << 20...1 << 30).contains(log.count) else {
            throw ValidationError("--records is 1000 to 10000000, --log 4M to 1G")
        }
        guard (1...100).contains(rounds), (0.01...600).contains(seconds) else {
            throw ValidationError("--rounds is 1 to 100, --seconds 0.01 to 600")
        }
    }

    func run() throws {
        try report {
            Interruption.shared.listen()
            if let json { try Folder.checkWritable(json) }
            var run = LogRun(program: try Executable.path())
            (run.recordCount, run.logByteCount) = (records, log.count)
            (run.roundCount, run.directory) = (rounds, directory)
            run.sliceNanoseconds = UInt64(seconds * 1e9)
            let result = try run.result { Terminal.write("\($0)\n") }
            print(result.lines.joined(separator: "\n"))
            if let json { try Descriptor.replace(json).write(result.json()) }
            return result.verdict.exit
        }
    }
}
