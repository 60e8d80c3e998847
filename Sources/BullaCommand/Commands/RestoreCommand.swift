internal import ArgumentParser
internal import Bulla
internal import Logging

/// `bulla restore`: makes a store from backups.
struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Make a store from a backup and the incremental ones that follow it.",
        usage: "bulla restore <target> <backup> ... [<options>]",
        discussion: """
            Name the whole backup first, then each incremental one after the backup that it \
            continues. The store is verified page by page before it gets its name. An existing \
            file is never overwritten (status 73).

              bulla restore back.bulla monday tuesday wednesday --key-file my.key
            """)

    @Argument(help: "The store to make.", completion: .file()) var target: String
    @Argument(help: "The backups, the oldest first.", completion: .file()) var backups: [String]
    @OptionGroup(title: "Key") var key: KeyArguments
    @OptionGroup var timeout: TimeoutArguments
    @OptionGroup var output: JSONArguments
    @OptionGroup var quiet: QuietArguments

    func run() throws {
        let report = try restore()
        if key.isGiven, !report.hasOwnKeys {
            let text =
                "\(target) seals under the keys of the store that was backed up, because its "
                + "history has forked too often: compact it"
            MessageLog.logger().warning("\(text)")
        }
        if output.json {
            try ByteOutput.print(JSONOutput.line(report))
        } else if !quiet.quiet {
            try ByteOutput.print("\(target) stands at commit \(report.commit)\n")
        }
    }

    private func restore() throws -> RestoreReport {
        let progress = ProgressBar(
            "restore", unit: .pages, total: nil, isQuiet: quiet.quiet || output.json)
        defer { progress.finish() }
        do {
            let key = try key.key(within: timeout.duration)
            return try Store.restore(from: backups, to: target, key: key) { progress.update($0) }
        } catch let error as BullaError {
            let isThere = error.code == .invalidArgument && error.message.hasPrefix("create ")
            throw CommandError(error, as: isThere ? .cannotCreate : nil)
        }
    }
}
