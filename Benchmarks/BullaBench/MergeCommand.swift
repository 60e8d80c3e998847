internal import ArgumentParser
internal import BullaBenchKit

struct MergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Puts results of many machines together into one.",
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
            valueName: "file"))
    var json: String?

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
