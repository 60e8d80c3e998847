internal import ArgumentParser
internal import Bulla
internal import BullaText

/// `bulla load`: reads records from files, and stores them in a tree.
struct LoadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Put the records of files into a tree.",
        usage: """
            bulla load <store> <tree> <file> ... [<options>]
            bulla load <store> <file> ... --format dump [<options>]
            """,
        discussion: """
            Files may be compressed (gzip, xz, lz4, zstd); - is standard input. The format is \
            recognised by name or content, or given:

              csv       The first row names the columns. The key is the first column or
                        --key-field; the value is the row as a JSON object.
              jsonl     One JSON object a line. The key is the member --key-field, a string
                        or a number; the value is the line, byte for byte.
              packages  Debian package lists. The key is "Package Version Architecture",
                        the value is the paragraph, byte for byte.
              dump      What bulla dump wrote; it names its trees itself.

              bulla load my.bulla debian Packages.xz --key-file my.key
              bulla load my.bulla orders orders.csv.gz --key-field id --key-file my.key
              journalctl -o json | bulla load my.bulla log - --key-field __CURSOR
              bulla load copy.bulla my.dump --format dump --create

            A later record replaces an earlier one with the same key. Records are committed in \
            batches. A malformed record, a bad file or an interrupt ends the load: earlier batches \
            stay, the unfinished one does not, and the message says how many records each has. \
            With --batch 0 everything is one commit: all of it or nothing. A record has at most \
            \(ByteReader.recordByteLimit >> 20) MiB; only a value in a dump can be longer.
            """)

    /// How many records one commit takes: enough that the flush is a small part of the time.
    private static let batchRecordLimit = 10_000

    @OptionGroup var store: StoreArguments
    @Argument(
        help: ArgumentHelp("The tree, then the files.", valueName: "tree> <file"),
        completion: .file())
    var operands: [String]

    @Option(help: ArgumentHelp("The format of the files.", valueName: "format"))
    var format = RecordFormat.auto

    @Option(
        help: ArgumentHelp(
            "The field that is the key; several fields are joined with a space.",
            valueName: "name"))
    var keyField: [String] = []

    @Option(help: ArgumentHelp("The field that is the value.", valueName: "name"))
    var valueField: String?

    @Option(
        help: ArgumentHelp("Records in a commit; 0: all in one commit.", valueName: "number"))
    var batch = batchRecordLimit

    @Flag(help: "Make the store if it is missing.") var create = false
    @OptionGroup(title: "New store") var creation: CreationArguments
    @OptionGroup var output: JSONArguments
    @OptionGroup var quiet: QuietArguments

    func validate() throws {
        guard batch >= 0 else { throw ValidationError("--batch is \(batch), expected 0 or more") }
        guard !files.isEmpty else {
            throw ValidationError("the files are missing: give a tree and at least one file")
        }
        guard format == .dump || tree != nil else {
            throw ValidationError(
                "a backslash in the name of the tree begins no escape; write a backslash as \\\\")
        }
        guard format != .dump || (keyField.isEmpty && valueField == nil) else {
            throw ValidationError("a dump has no fields: leave out --key-field and --value-field")
        }
        guard files.count(where: { $0 == "-" }) + (store.key.takesStandardInput ? 1 : 0) <= 1 else {
            throw ValidationError("standard input can be read only once")
        }
        try creation.validate(hasKey: store.key.isGiven)
    }

    private var files: [String] { format == .dump ? operands : Array(operands.dropFirst()) }

    private var tree: [UInt8]? {
        format == .dump ? nil : operands.first.flatMap { TreeName(escaped: $0) }?.bytes
    }

    func run() throws {
        let stream = try RecordStream(
            files, format: format, fields: RecordFields(key: keyField, value: valueField),
            within: store.timeout.duration)
        let progress = ProgressBar(
            "load", unit: .bytes, total: stream.byteCount.map { Int(clamping: $0) },
            isQuiet: quiet.quiet || output.json)
        let summary = try store.writing(prepare) { opened in
            let session = LoadSession(
                opened, tree: tree, from: stream,
                batch: LoadSession.Batch(recordLimit: batch == 0 ? nil : batch), progress: progress)
            Signals.catchInterrupts()
            try session.run()
            return session.summary
        }
        progress.finish()
        try report(summary)
    }

    private func prepare(_ options: inout StoreOptions) {
        guard create else { return }
        options.creation = .ifMissing
        creation.apply(to: &options)
    }

    private func report(_ summary: LoadSummary) throws {
        if output.json {
            try ByteOutput.print(JSONOutput.line(summary))
        } else if !quiet.quiet {
            try ByteOutput.print(summary.text + "\n")
        }
    }
}
