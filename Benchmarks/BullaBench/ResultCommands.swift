internal import ArgumentParser
internal import BullaBenchKit
internal import BullaText

struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Shows results again: as a table, and as a page.",
        discussion: """
            The files are results that --json or merge wrote. The page works from a file: it needs \
            no network, no script and no other file. Of several results it makes one page, on \
            which rows that differ only in workers, or only in threads, become one curve:

                for n in 1 2 4 8; do bulla-bench overhead --workers $n --json $n.json; done
                bulla-bench report 1.json 2.json 4.json 8.json --html scaling.html

            Exit status: 0 shown; 64 and above: a file cannot be read, and why.
            """)

    @Option(help: ArgumentHelp("Where the page is written.", valueName: "file"))
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
        commandName: "merge", abstract: "Puts results of many machines together into one.",
        discussion: """
            The files are results of the shards of one run (--shard 0/8 to 7/8, with the same \
            --run), of repeats of a shard, or both. Histograms are added, and percentiles told \
            from the sum. Shards of a run ran at the same time, so what they did by the second \
            adds up, round by round; repeats are further rounds. Intervals and verdicts are worked \
            out anew from the rounds of all.

                for i in 0 1 2 3; do ssh host$i bulla-bench overhead --run nightly --shard $i/4 \
            --json $i.json & done; wait
                bulla-bench merge 0.json 1.json 2.json 3.json --json nightly.json
                bulla-bench report nightly.json --html nightly.html

            Results whose version, settings (other than seed and folder), contenders or records \
            differ are refused, with what differs. A shard that is missing makes the merged result \
            a partial one, and is named.

            Exit status: 0 merged, 2 merged, but something is missing; 64 and above: nothing was \
            written, and why.
            """)

    @Option(
        help: ArgumentHelp(
            "Where the merged result is written; without this, to the standard output.",
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
        commandName: "compare", abstract: "Says what became slower or faster between two results.",
        discussion: """
            Both files are results that --json wrote. Each contender in each row that both have is \
            compared by its throughput: the ratio of the medians, after / before, with a 95 % \
            interval from how far the rounds of each lie apart. Results of different days are \
            independent of each other, so these intervals are wider than those of one run.

            A regression is one whose whole interval lies below the threshold: 0.95 for 5 %. \
            Unchanged is what lies between both thresholds for sure; everything else is undecided, \
            and more rounds would decide it. Rows match where workload, input and regime are the \
            same; what only one result has is named, and so is what differs in the machines.

                bulla-bench overhead --json monday.json
                bulla-bench overhead --json tuesday.json
                bulla-bench compare monday.json tuesday.json --threshold 3%

            Exit status: 0 no regression, 1 a regression, 2 undecided; 64 and above: a file cannot \
            be read, and why.
            """)

    @Option(help: "A change of throughput that is not ignored, in percent.")
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
