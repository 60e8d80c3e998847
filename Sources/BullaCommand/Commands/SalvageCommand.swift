internal import ArgumentParser
internal import Bulla

/// `bulla salvage`: copies what still verifies.
struct SalvageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "salvage",
        abstract: "Write what still verifies of a damaged store into a new one.",
        usage: "bulla salvage <store> <target> [<options>]",
        discussion: """
            Writes nothing to the damaged store. It saves every entry that a chain of verified \
            pages leads to, under the same key, and lists losses on standard output. Status 0: \
            nothing was lost. Status 2: something was lost, and the rest was saved. An existing \
            file is never overwritten (status 73).

              bulla salvage my.bulla saved.bulla --key-file my.key
            """)

    @OptionGroup var store: StoreArguments
    @Argument(help: "The file to make.", completion: .file()) var target: String
    @OptionGroup var output: JSONArguments
    @OptionGroup var quiet: QuietArguments

    func run() throws {
        let report = try salvage()
        if output.json {
            try ByteOutput.print(JSONOutput.line(report))
        } else {
            let lines = report.check.defects.map { DefectText.line($0) + "\n" }
            let saved = Quantity.count(report.entryCount, "entry", "entries")
            try ByteOutput.print(
                lines.joined() + "saved \(saved) of commit \(report.check.commit)\n")
        }
        guard report.check.isSound else {
            let count = Quantity.count(report.check.defects.count, "defect")
            throw CommandError(.damaged, "salvage \(store.store): \(count); the rest was saved")
        }
    }

    private func salvage() throws -> SalvageReport {
        let progress = ProgressBar(
            "salvage", unit: .pages, total: nil, isQuiet: quiet.quiet || output.json)
        defer { progress.finish() }
        do {
            return try Store.salvage(
                from: store.store, to: target, key: store.storeKey(),
                timeout: store.timeout.duration
            ) { progress.update($0) }
        } catch let error as BullaError {
            throw CommandError(error, as: error.code == .invalidArgument ? .cannotCreate : nil)
        }
    }
}
