internal import ArgumentParser
internal import BullaBenchKit
internal import BullaText

struct LogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Measures commits beside checkpoints, full memtables, opening after a kill.",
        discussion: """
            Stores, plain and encrypted in turn, whose log is full: nine tenths of --log wait in \
            one half of it, and nothing takes them over by itself. Durable commits are timed \
            beside a waiting log, beside the checkpoint that takes it over, and beside checkpoints \
            without end. Hot reads and scans of a store whose log is full are compared with those \
            of one whose log was just taken over; what fills it changes the lower half of the \
            records. A worker fills a log and is killed, and the store is opened again. And \
            commits that change three trees take turns with those that change one. A figure that \
            has an aim meets it or misses it; it is undecided where the interval has the aim \
            inside, and after fewer than five rounds.

            Exit status: 0 all aims met, 1 one missed, 2 undecided; 64 and above: the run failed, \
            and says why.
            """)

    @Option(help: "Records of 123 bytes in each store.")
    var records = 300_000

    @Option(help: "Bytes of a full log, such as 64M.")
    var log = ByteCount(64 << 20)

    @Option(help: "How often everything is measured.")
    var rounds = 5

    @Option(help: "For how long commits are timed, each time.")
    var seconds = 1.0

    @Option(help: "Where stores are made, in a temporary folder.")
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
