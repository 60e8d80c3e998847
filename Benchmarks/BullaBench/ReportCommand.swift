internal import ArgumentParser
internal import BullaBenchKit

struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Shows results again: as a table, and as a page.",
        discussion: """
            The files are results that --json or merge wrote. The page works from a file: it needs \
            no network, no script and no other file. Of several results it makes one page, on \
            which rows that differ only in their workers and threads become one curve:

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
            if !quiet { results.forEach(show) }
            return .met
        }
    }

    private func show(_ result: BenchResult) {
        let text =
            ResultText.heading(result) + [""] + ResultText.lines(result)
            + ResultText.ending(result)
        print(text.joined(separator: "\n"))
    }
}
