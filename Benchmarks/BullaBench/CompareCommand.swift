internal import ArgumentParser
internal import BullaBenchKit

struct CompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Says what became slower or faster between two results.",
        discussion: """
            Both files are results that --json wrote. Each contender in each row that both have is \
            compared by its throughput: the ratio of the medians, after / before, with a 95 % \
            interval from a bootstrap over the rounds of both. Results of different days are \
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
    var threshold = PercentOption(share: 0.05)

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
