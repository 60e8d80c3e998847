internal import ArgumentParser
internal import BullaBenchKit
internal import BullaText

struct GeneratedOptions: ParsableArguments {
    @Option(help: "Generated YCSB records; 0 for none.")
    var records = 1_000_000

    @Option(help: "Fields of each generated record.")
    var fields = 10

    @Option(help: "Bytes of each field.")
    var fieldBytes = 100

    var options: RecordOptions {
        var options = RecordOptions()
        (options.count, options.fieldCount, options.fieldByteCount) = (records, fields, fieldBytes)
        return options
    }
}

struct RunOptions: ParsableArguments {
    @Option(help: "Worker processes on each store.")
    var workers = 1

    @Option(help: "Threads in each worker.")
    var threads = 1

    @OptionGroup var generated: GeneratedOptions

    @Option(
        help: ArgumentHelp(
            "What generated values are made of: fixed, random, compressible:SHARE.",
            discussion: "A compressor can leave about SHARE (0 to 1) of a compressible value.",
            valueName: "kind")) var values = ValueKind.random

    @Option(
        help: ArgumentHelp(
            "Real records: a Debian package index, .csv or .jsonl; also .lz4, .gz, .xz.",
            valueName: "file")) var input: String?

    @Option(help: "The column or field of the input that holds the keys.")
    var keyField: String?

    @Option(help: "Bytes of each store's cache: a number, or with K, M or G.")
    var cache = ByteCount(256 << 20)

    @Option(help: "Seconds for the whole run.")
    var time = 150

    @Option(help: "Most rounds of each row.")
    var rounds = 40

    @Option(
        help: ArgumentHelp(
            "How narrow a ratio's interval must be for its row to end early: 2%.",
            discussion: """
                Looking often at an interval until it looks narrow would make it claim too much, \
                so it is widened for that. Without this, time and rounds alone end a run.
                """)) var precision: Percent?

    @Option(
        help: ArgumentHelp(
            "Workloads, with commas between them, or all.",
            discussion: Workload.allCases.map(\.rawValue).joined(separator: ",")))
    var workloads = ListOption(Workload.usual)

    @Option(
        help: ArgumentHelp(
            "What is at hand when a slice begins: of hot, cold, disk and memory-bound.",
            discussion: """
                With commas between them; each makes rows of its own. hot: all was read before. \
                cold: the store was just opened. disk: besides, its files were dropped from the \
                page cache. memory-bound: a control group gives the workers memory for half of \
                the data, page cache included, beside 64 MiB for each worker itself.
                """, valueName: "regimes")) var regime = ListOption([Temperature.hot])

    @Option(help: "Where threads run: spread, pack, node:K or cores:LIST.")
    var place: String?

    @Option(help: "Where their memory comes from: local, interleave or node:K.")
    var memory: String?

    @Option(help: "What workers may have in the regime memory-bound, in all.")
    var memoryLimit: ByteCount?

    @Option(help: "Reads that share a snapshot in point-read.")
    var readsPerSnapshot = 10_000

    @Option(help: "Reads of one call in batched-read.")
    var readsPerBatch = 100

    @Option(help: "Bytes of a value in large-value.")
    var largeBytes = ByteCount(4 << 20)

    @Option(help: "When a commit returns: full or relaxed.")
    var durability = BenchDurability.full

    @Option(
        help: ArgumentHelp(
            "Operations by the second in all, in open loop.",
            discussion: """
                Each operation has its time, and its latency counts from then: what a client sees \
                that does not wait for the one before. Without this, loops are closed.
                """)) var rate: Double?

    @Option(
        help: ArgumentHelp(
            "Operations of a slice, in all threads of all shards together.",
            discussion: "Without this, as many as fill 5 milliseconds.")) var operations: Int?

    @Option(help: ArgumentHelp("The trace that replay follows.", valueName: "file"))
    var trace: String?

    @Option(
        help: ArgumentHelp(
            "Of the key space, part i of n, for runs on many machines.", valueName: "i/n"))
    var shard = Shard.whole

    @Option(help: "What the results of one run on many machines have in common.")
    var run: String?

    @Option(help: ArgumentHelp("Where the result is written as JSON.", valueName: "file"))
    var json: String?

    @Option(
        help: ArgumentHelp("Where the result is written as a page to look at.", valueName: "file"))
    var html: String?

    @Option(help: "Where the stores are made, in a temporary folder.")
    var directory = "."

    @Option(help: "Decides what is drawn.")
    var seed: UInt64 = 1

    @Flag(help: "Leaves the temporary folder behind.")
    var keep = false

    func comparison() throws -> ComparisonOptions {
        var options = ComparisonOptions()
        (options.workers, options.threads, options.records) = (workers, threads, generated.options)
        options.records.values = values
        options.input = input.map { RecordInput(path: $0, keyField: keyField) }
        (options.cacheByteLimit, options.secondLimit) = (cache.count, time)
        (options.roundLimit, options.precision) = (rounds, precision?.share)
        (options.workloads, options.temperatures) = (workloads.list, regime.list)
        options.placement = try Placement(place: place, memory: memory)
        (options.memoryByteLimit, options.readsPerSnapshot) = (memoryLimit?.count, readsPerSnapshot)
        (options.readsPerBatch, options.largeValueByteCount) = (readsPerBatch, largeBytes.count)
        (options.durability, options.rate, options.operationCount) = (durability, rate, operations)
        (options.tracePath, options.shard, options.runName) = (trace, shard, run)
        (options.directory, options.isKept, options.seed) = (directory, keep, seed)
        return options
    }

    /// Measures, prints what was found and writes it where it was asked for.
    func measure(
        _ command: String, _ options: ComparisonOptions, _ lineup: Lineup
    ) throws -> BenchExit {
        // A result that cannot be written is better told before the work than after.
        for path in [json, html].compactMap({ $0 }) { try Folder.checkWritable(path) }
        let run = try ComparisonRun(command, options, lineup, Progress())
        let (result, error) = try run.run()
        print(ResultText.all(result))
        if let json { try Descriptor.replace(json).write(result.json()) }
        if let html { try Descriptor.replace(html).write(HTMLReport([result]).bytes) }
        if let error { throw error }
        return result.verdict.exit
    }
}

extension BenchSuite: ExpressibleByArgument {}
extension BenchDurability: ExpressibleByArgument {}
extension ByteCount: ExpressibleByArgument {}
extension Percent: ExpressibleByArgument {}
extension Shard: ExpressibleByArgument {}
extension ValueKind: ExpressibleByArgument {}

/// What is asked for by name, with commas between the names.
struct ListOption<Element: NamedInLists>: ExpressibleByArgument, CustomStringConvertible {
    let list: [Element]

    var description: String { list.map(\.rawValue).joined(separator: ",") }

    init(_ list: [Element]) { self.list = list }

    init?(argument: String) {
        guard let list = Element.list(argument) else { return nil }
        self.list = list
    }
}
