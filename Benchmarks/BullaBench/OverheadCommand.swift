internal import ArgumentParser
internal import BullaBenchKit

struct OverheadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "overhead",
        abstract: "Compares an encrypted store with a plain one.",
        discussion: """
            Each row is one workload on one input. A round gives both sides processes and a fresh \
            copy of the data of their own, and runs slices of the same work on them in turn: \
            plain, encrypted, encrypted, plain, or the other way round. The ratio is the median \
            over all rounds, with a 95 % interval from a bootstrap over rounds. At the end of each \
            round every record of both stores is verified.

            Exit status: 0 target met, 1 missed, 2 undecided; 64 and above: the run failed, and \
            says why.
            """)

    @Option(help: "Worker processes on each store.")
    var workers = 1

    @Option(help: "Threads in each worker.")
    var threads = 1

    @Option(help: "Generated YCSB records; 0 for none.")
    var records = 1_000_000

    @Option(help: "Bytes of each generated value.")
    var valueBytes = 100

    @Option(
        help: ArgumentHelp(
            "Real records: a Debian package index, .csv or .jsonl; also .lz4, .gz, .xz.",
            valueName: "file"))
    var input: String?

    @Option(help: "The column or field of the input that holds the keys.")
    var keyField: String?

    @Option(help: "Bytes of a page: 4096 to 65536; the store's own choice where not given.")
    var pageSize: Int?

    @Option(help: "Cipher suite.")
    var suite = BenchSuite.aes256GCM

    @Option(help: "Bytes of each store's cache: a number, or with K, M or G.")
    var cache = ByteCountOption(count: 256 << 20)

    @Option(help: "Seconds for the whole run.")
    var time = 150

    @Option(help: "Most rounds of each row.")
    var rounds = 40

    @Option(help: "What encryption may cost, in percent of the time.")
    var target = PercentOption(share: 0.10)

    @Option(
        help: ArgumentHelp(
            "Workloads, with commas between them.",
            discussion: Workload.allCases.map(\.rawValue).joined(separator: ",")))
    var workloads = WorkloadsOption(list: Workload.allCases)

    @Option(help: "Reads that share a snapshot in point-read.")
    var readsPerSnapshot = 10_000

    @Option(help: "When a commit returns: full or relaxed.")
    var durability = BenchDurability.full

    @Option(help: ArgumentHelp("Where the result is written as JSON.", valueName: "file"))
    var json: String?

    @Option(help: "Where the stores are made, in a temporary folder.")
    var directory = "."

    @Option(help: "Decides what is drawn.")
    var seed: UInt64 = 1

    @Flag(help: "Leaves the temporary folder behind.")
    var keep = false

    func run() throws {
        do {
            try Interruption.shared.listen()
            throw ExitCode(try measure().rawValue)
        } catch let error as BenchError {
            Terminal.write("bulla-bench: \(error.message)\n")
            throw ExitCode(error.exit.rawValue)
        }
    }

    private func measure() throws -> BenchExit {
        // A result that cannot be written is better told before the work than after.
        if let json { try Folder.checkWritable(holding: json) }
        let run = try OverheadRun(options, Progress())
        let result = try run.run()
        let text =
            OverheadText.heading(result.machine) + [""]
            + OverheadText.lines(result) + OverheadText.ending(result)
        print(text.joined(separator: "\n"))
        if let json { try Descriptor.replace(json).write(result.json()) }
        return result.verdict.exit
    }

    private var options: OverheadOptions {
        var options = OverheadOptions()
        options.workers = workers
        options.threads = threads
        options.recordCount = records
        options.valueByteCount = valueBytes
        options.input = input.map { RecordInput(path: $0, keyField: keyField) }
        options.pageByteCount = pageSize
        options.suite = suite
        options.cacheByteLimit = cache.count
        options.secondLimit = time
        options.roundLimit = rounds
        options.target = target.share
        options.workloads = workloads.list
        options.readsPerSnapshot = readsPerSnapshot
        options.durability = durability
        options.directory = directory
        options.isKept = keep
        options.seed = seed
        return options
    }
}
