internal import ArgumentParser
internal import Bulla

/// `bulla backup`: copies the pages of one commit, or those written since an earlier commit.
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Write a whole or an incremental backup, while others write.",
        usage: "bulla backup <store> <target> [--since <anchor>] [<options>]",
        discussion: """
            The backup has the state of one commit, whatever others write meanwhile. Pages are \
            copied sealed, so it is as secret as the store, and under the same key. The second \
            line of the answer is an anchor: keep it with the backup, and give it as --since to \
            make the next incremental backup. It names the store, its history and a commit; a \
            store that has lost that commit, or never had it, is refused (status 64). An existing \
            file is never overwritten (status 73).

              bulla backup my.bulla monday --key-file my.key | tail -1 > monday.anchor
              bulla backup my.bulla tuesday --since "$(cat monday.anchor)" --key-file my.key
              bulla restore back.bulla monday tuesday --key-file my.key
            """)

    @OptionGroup var store: StoreArguments
    @Argument(help: "The file to make.", completion: .file()) var target: String

    @Option(
        help: ArgumentHelp(
            "Back up only what was written since this anchor, which the last backup printed.",
            valueName: "anchor"))
    var since: String?

    @OptionGroup var output: JSONArguments
    @OptionGroup var quiet: QuietArguments

    func validate() throws {
        guard since == nil || anchor != nil else {
            throw ValidationError(
                "--since is no anchor: bulla backup prints one, as the last line of its answer")
        }
    }

    private var anchor: Anchor? { since.flatMap { Anchor($0) } }

    func run() throws {
        let report = try makeBackup()
        if output.json {
            try ByteOutput.print(JSONOutput.line(report))
        } else if !quiet.quiet {
            let since = report.since.map { " since commit \($0.commit)" } ?? ""
            let pages = Quantity.count(report.pageCount, "page")
            try ByteOutput.print("commit \(report.commit): \(pages)\(since)\n\(report.anchor)\n")
        }
    }

    /// Backs up a store as a reader, or as a writer if the store's log needs a checkpoint first.
    private func makeBackup() throws -> BackupReport {
        do { return try store.reading { opened in try backup(opened) } } catch {
            let code = (error as? CommandError)?.code
            guard code == BullaError.Code.readOnly.rawValue else { throw error }
            return try store.writing { opened in try backup(opened) }
        }
    }

    private func backup(_ opened: Store) throws -> BackupReport {
        let total = since == nil ? try opened.info.livePageCount : nil
        let progress = ProgressBar(
            "backup", unit: .pages, total: total, isQuiet: quiet.quiet || output.json)
        defer { progress.finish() }
        do {
            return try opened.backup(to: target, since: anchor) { progress.update($0) }
        } catch { throw CommandError(error, as: exit(error)) }
    }

    /// ``CommandExit/cannotCreate`` if the target cannot be created; otherwise `nil`, which stands
    /// for the error's usual status.
    ///
    /// The engine throws `invalidArgument` for such a target, but also for an anchor that names an
    /// unknown commit. Only the error about the anchor has a commit; it keeps its usual status,
    /// ``CommandExit/usage``.
    private func exit(_ error: BullaError) -> CommandExit? {
        error.code == .invalidArgument && error.commit == nil ? .cannotCreate : nil
    }
}
