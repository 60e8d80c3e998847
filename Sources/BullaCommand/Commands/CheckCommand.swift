internal import ArgumentParser
internal import Bulla

/// `bulla check`: verifies every page.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Walk through the whole store and verify every page.",
        usage: "bulla check <store> [<options>]",
        discussion: """
            Changes nothing. Status 0: everything is sound. Status 2: something is damaged; what \
            and where is written to standard output.

              bulla check my.bulla --key-file my.key
            """)

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: JSONArguments
    @OptionGroup var quiet: QuietArguments

    func run() throws {
        let report = try store.reading { opened in
            try check(opened)
        }
        try answer(report)
        guard report.isSound else {
            throw CommandError(
                .damage,
                "check \(store.store): "
                    + Quantity.count(UInt64(report.damages.count), "damaged place")
                    + " at commit \(report.commit)")
        }
    }

    private func check(_ opened: Store) throws -> CheckReport {
        let progress = ProgressBar(
            "check", unit: .pages, total: try opened.info.livePageCount,
            isQuiet: quiet.quiet || output.json)
        defer { progress.finish() }
        return try opened.check { progress.update($0) }
    }

    private func answer(_ report: CheckReport) throws {
        if output.json {
            try ByteOutput.print(JSONOutput.line(report))
        } else if !report.isSound || !quiet.quiet {
            try ByteOutput.print(text(report))
        }
    }

    private func text(_ report: CheckReport) -> String {
        let damages = report.damages.map { damage in
            let tree = damage.tree.map { " in tree \(EscapedText.forTerminal($0))" } ?? ""
            return "page \(damage.page)\(tree), commit \(damage.commit): "
                + EscapedText.forTerminal(damage.message) + "\n"
        }
        let verdict = report.isSound ? "sound" : "DAMAGED"
        return damages.joined() + "\(verdict) at commit \(report.commit): "
            + Quantity.count(report.pagesVerified, "page") + " verified, "
            + Quantity.count(report.trees, "tree") + ", "
            + Quantity.count(report.entries, "entry", "entries") + ", "
            + Quantity.count(report.largeValues, "large value") + "\n"
    }
}
