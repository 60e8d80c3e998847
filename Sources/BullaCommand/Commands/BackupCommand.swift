internal import ArgumentParser
internal import Bulla

/// `bulla backup`: copies the pages of one commit, or those that came since another.
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Write a backup, whole or of what came since a commit, while others write.",
        usage: "bulla backup <store> <target> [--since <commit>] [<options>]",
        discussion: """
            The backup is of one commit, whatever is written meanwhile. Pages are copied sealed, \
            so it is as secret as the store, and under the same key. The commit that is printed \
            is what the next incremental backup is made since. A file that is there already is \
            never overwritten (status 73).

              bulla backup my.bulla monday --key-file my.key
              bulla backup my.bulla tuesday --since 4711 --key-file my.key
              bulla restore back.bulla monday tuesday --key-file my.key
            """)

    @OptionGroup var store: StoreArguments
    @Argument(help: "The file to make.") var target: String

    @Option(
        help: ArgumentHelp(
            "Back up only what came since this commit, at which another backup stands.",
            valueName: "commit"))
    var since: UInt64?

    @OptionGroup var output: JSONArguments
    @OptionGroup var quiet: QuietArguments

    func run() throws {
        let report = try store.reading { opened in try backup(opened) }
        if output.json {
            try ByteOutput.print(JSONOutput.line(report))
        } else if !quiet.quiet {
            let since = report.since > 0 ? " since commit \(report.since)" : ""
            let pages = Quantity.count(report.pages, "page")
            try ByteOutput.print("commit \(report.commit): \(pages)\(since)\n")
        }
    }

    private func backup(_ opened: Store) throws -> BackupReport {
        let total = since == nil ? try opened.info.livePageCount : nil
        let progress = ProgressBar(
            "backup", unit: .pages, total: total, isQuiet: quiet.quiet || output.json)
        defer { progress.finish() }
        do {
            return try opened.backup(to: target, since: since) { progress.update($0) }
        } catch { throw CommandError(error, as: exit(error)) }
    }

    /// A target that is there already is no wrong command line; a commit that is not there is.
    private func exit(_ error: BullaError) -> CommandExit? {
        error.code == .invalidArgument && error.commit == nil ? .cannotCreate : nil
    }
}
