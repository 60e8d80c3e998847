internal import ArgumentParser
internal import BullaBenchKit
internal import BullaText

struct GeneratedOptions: ParsableArguments {
    @Option(help: "Number of generated YCSB records; 0 for none.")
    var records = 1_000_000

    @Option(help: "Fields of each generated record.")
    var fields = 10

    @Option(help: "Bytes of each field of a generated record.")
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

    @Option(help: "Time limit of the whole run, in seconds.")
    var time = 150

    @Option(help: "Largest number of rounds of a row.")
    var rounds = 40

    @Option(
        help: ArgumentHelp(
            "Ends a row early when its ratio's interval is this narrow: 2%.",
            discussion: """
                Repeated looks at an interval until it looks narrow would overstate its certainty; \
                it is widened to allow for that. By default, only time and rounds end a run.
                """)) var precision: Percent?

    @Option(
        help: ArgumentHelp(
            "Workloads, separated by commas, or all.",
            discussion: Workload.allCases.map(\.rawValue).joined(separator: ",")))
    var workloads = ListOption(Workload.usual)

    @Option(
        help: ArgumentHelp(
            "What is cached when a slice begins: hot, cold, disk or memory-bound.",
            discussion: """
                Separated by commas; each makes rows of its own. hot: everything was read before. \
                cold: the store was just opened. disk: also, its files were dropped from the page \
                cache. memory-bound: a control group limits the workers to half the data, page \
                cache included, plus 64 MiB for each worker itself.
                """, valueName: "regimes")) var regime = ListOption([Temperature.hot])

    @Option(help: "The cores on which threads run: spread, pack, node:K or cores:LIST.")
    var place: String?

    @Option(help: "The nodes of their memory: local, interleave or node:K.")
    var memory: String?

    @Option(help: "Memory of all workers together in the regime memory-bound.")
    var memoryLimit: ByteCount?

    @Option(help: "Reads that share a snapshot in point-read.")
    var readsPerSnapshot = 10_000

    @Option(help: "Records read by one call in batched-read.")
    var readsPerBatch = 100

    @Option(help: "Bytes of a value in large-value.")
    var largeBytes = ByteCount(4 << 20)

    @Option(help: "When a commit returns: full or relaxed.")
    var durability = BenchDurability.full

    @Option(
        help: ArgumentHelp(
            "Operations per second in all, in an open loop.",
            discussion: """
                Each operation has a scheduled time, and its latency counts from then, as for a \
                client that does not wait for the one before. By default, loops are closed.
                """)) var rate: Double?

    @Option(
        help: ArgumentHelp(
            "Operations of a slice, in all threads of all shards together.",
            discussion: "By default, as many as fill 5 milliseconds.")) var operations: Int?

    @Option(help: ArgumentHelp("The trace that replay follows.", valueName: "file"))
    var trace: String?

    @Option(
        help: ArgumentHelp(
            "Runs on part i of n of the key space, for runs on many machines.", valueName: "i/n"))
    var shard = Shard.whole

    @Option(help: "A name that all results of one run on many machines share.")
    var run: String?

    @Option(help: ArgumentHelp("Where the result is written as JSON.", valueName: "file"))
    var json: String?

    @Option(
        help: ArgumentHelp("Where the result is written as an HTML page.", valueName: "file"))
    var html: String?

    @Option(help: "The folder in which a temporary folder for the stores is made.")
    var directory = "."

    @Option(help: "The seed of the random numbers.")
    var seed: UInt64 = 1

    @Flag(help: "Keeps the temporary folder.")
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

    /// Measures, prints the result, and writes it to the files that the options name.
    func measure(
        _ command: String, _ options: ComparisonOptions, _ lineup: Lineup
    ) throws -> BenchExit {
        // A file that cannot be written should be reported before the work, not after it.
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

/// Choices by name, separated by commas.
struct ListOption<Element: NamedInLists>: ExpressibleByArgument, CustomStringConvertible {
    let list: [Element]

    var description: String { list.map(\.rawValue).joined(separator: ",") }

    init(_ list: [Element]) { self.list = list }

    init?(argument: String) {
        guard let list = Element.list(argument) else { return nil }
        self.list = list
    }
}
