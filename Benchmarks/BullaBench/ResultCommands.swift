internal import ArgumentParser
internal import BullaBenchKit
internal import BullaText

struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Shows results as a table, and as an HTML page.",
        discussion: """
            The files are results that --json or merge wrote. The page needs no network, no script \
            and no other file. Several results make one page, on which rows that differ only in \
            workers, in threads, or in the number or the length of the records, become one curve:

                for n in 1 2 4 8; do bulla-bench overhead --workers $n --json $n.json; done
                bulla-bench report 1.json 2.json 4.json 8.json --html scaling.html

            Exit status: 0 shown; 64 and above: a file cannot be read; the message says why.
            """)

    @Option(help: ArgumentHelp("The file to which the page is written.", valueName: "file"))
    var html: String?

    @Flag(help: "Prints no table.")
    var quiet = false

    @Argument(help: ArgumentHelp("Results.", valueName: "files"))
    var files: [String]

    func run() throws {
        try report {
            let results = try files.map { try ResultFile.read($0) }
            if let html { try Descriptor.replace(html).write(HTMLReport(results).bytes) }
            if !quiet { for result in results { print(ResultText.all(result)) } }
            return .met
        }
    }
}

struct MergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge", abstract: "Merges results of many machines into one.",
        discussion: """
            The files are results of the shards of one run (--shard 0/8 to 7/8, with the same \
            --run), of repeats of a shard, or both. Histograms are added; percentiles come from \
            the sum. Shards of a run ran at the same time, so their operations per second are \
            added, round by round; repeats count as further rounds. Intervals and verdicts are \
            computed anew from all rounds.

                for i in 0 1 2 3; do ssh host$i bulla-bench overhead --run nightly --shard $i/4 \
            --json $i.json & done; wait
                bulla-bench merge 0.json 1.json 2.json 3.json --json nightly.json
                bulla-bench report nightly.json --html nightly.html

            Results whose version, settings (other than seed and folder), contenders or records \
            differ are refused; the message names the difference. A result without one of the \
            shards is partial, and names the shard.

            Exit status: 0 merged; 2 merged, but something is missing; 64 and above: nothing was \
            written; the message says why.
            """)

    @Option(
        help: ArgumentHelp(
            "The file to which the merged result is written; by default, standard output.",
            valueName: "file")) var json: String?

    @Argument(help: ArgumentHelp("Results.", valueName: "files"))
    var files: [String]

    func run() throws {
        try report {
            let merge = try ResultMerge(
                files.map { .init(name: $0, result: try ResultFile.read($0)) })
            let result = merge.merged()
            if let json {
                try Descriptor.replace(json).write(result.json())
                let text = ResultText.lines(result) + ResultText.ending(result)
                print(text.joined(separator: "\n"))
            } else {
                print(String(decoding: try result.json(), as: UTF8.self), terminator: "")
            }
            return result.failure == nil ? .met : .undecided
        }
    }
}

struct CompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare", abstract: "Says what became slower or faster from before to after.",
        discussion: """
            Both files are results that --json wrote. In each row that both have, each contender \
            is compared by its throughput: the ratio of the medians, after / before, with a 95 % \
            interval from the spread of each result's rounds. Results of different days are \
            independent of each other, so these intervals are wider than those within one run.

            A contender regressed if the whole interval lies below the threshold: 0.95 for 5 %. It \
            is unchanged if the whole interval lies between both thresholds. Everything else is \
            undecided, and more rounds would decide it. Rows match if workload, input and regime \
            are the same. Rows that only one result has, and differences of the machines, are named.

                bulla-bench overhead --json monday.json
                bulla-bench overhead --json tuesday.json
                bulla-bench compare monday.json tuesday.json --threshold 3%

            Exit status: 0 no regression, 1 a regression, 2 undecided; 64 and above: a file cannot \
            be read; the message says why.
            """)

    @Option(help: "The smallest change of throughput that counts, in percent.")
    var threshold = Percent(0.05)

    @Argument(help: ArgumentHelp("The earlier result.", valueName: "before"))
    var before: String

    @Argument(help: ArgumentHelp("The later result.", valueName: "after"))
    var after: String

    func validate() throws {
        guard threshold.share > 0, threshold.share < 1 else {
            throw ValidationError("--threshold is \(threshold), expected more than 0, below 100 %")
        }
    }

    func run() throws {
        try report {
            let comparison = ResultComparison(
                before: try ResultFile.read(before), after: try ResultFile.read(after),
                threshold: threshold.share)
            print(comparison.text.joined(separator: "\n"))
            return comparison.change.exit
        }
    }
}
