internal import ArgumentParser
internal import Bulla

/// `bulla check`: verifies every page.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Walk through the whole store and verify every page.",
        usage: "bulla check <store> [<options>]",
        discussion: """
            Writes nothing to the store, and recovers nothing. A store that was closed cleanly can \
            be used meanwhile. Status 0: everything is sound. Status 2: something is damaged; \
            standard output has a line for each defect: its kind, its place, and the keys that \
            are lost with it.

              bulla check my.bulla --key-file my.key
              bulla check my.bulla --key-file my.key --json | jq '.defects[].kind'

            bulla salvage saves what still verifies of a damaged store.
            """)

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: JSONArguments
    @OptionGroup var quiet: QuietArguments

    func run() throws {
        let report = try check()
        try answer(report)
        guard report.isSound else {
            throw CommandError(
                .damaged,
                "check \(store.store): "
                    + Quantity.count(report.defects.count, "defect")
                    + " at commit \(report.commit)")
        }
    }

    private func check() throws -> CheckReport {
        let progress = ProgressBar(
            "check", unit: .pages, total: nil, isQuiet: quiet.quiet || output.json)
        defer { progress.finish() }
        do {
            return try Store.check(
                at: store.store, key: store.storeKey(), timeout: store.timeout.duration
            ) { progress.update($0) }
        } catch let error as BullaError { throw CommandError(error) }
    }

    private func answer(_ report: CheckReport) throws {
        if output.json {
            try ByteOutput.print(JSONOutput.line(report))
        } else if !report.isSound || !quiet.quiet {
            try ByteOutput.print(text(report))
        }
    }

    private func text(_ report: CheckReport) -> String {
        let defects = report.defects.map { DefectText.line($0) + "\n" }
        let verdict = report.isSound ? "sound" : "DAMAGED"
        return defects.joined() + "\(verdict) at commit \(report.commit): "
            + Quantity.count(report.verifiedPageCount, "page") + " verified, "
            + Quantity.count(report.treeCount, "tree") + ", "
            + Quantity.count(report.entryCount, "entry", "entries") + ", "
            + Quantity.count(report.largeValueCount, "large value") + "\n"
    }
}
