internal import ArgumentParser
internal import Bulla
internal import BullaObjects
internal import BullaText

/// `bulla objects import`: imports lines of JSON as objects.
struct ObjectsImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Store lines of JSON as objects, as bulla objects export writes them.",
        usage: """
            bulla objects import <store> <model> [<file>] [<options>]
            bulla objects import <store> --all [<file>] [<options>]
            """,
        discussion: """
            One object per line. Without a file, or with -, the lines come from standard input; a \
            file may be compressed. With --all each line names its model, as an export of several \
            models does. The models must exist: a program makes them.

            A property that a line leaves out gets the value that it has in objects older than \
            the property. Links may lead to objects that come later. An object whose key exists \
            is an error, unless --upsert lets it replace the existing object, whose sealed values \
            stay. A sealed value is an error too, unless --without-sealed leaves it out.

              bulla objects import my.bulla Employee staff.jsonl --key-file my.key
              bulla objects import my.bulla --all all.jsonl --upsert --key-file my.key

            Objects are committed some thousand at a time. A wrong line or an interrupt ends the \
            import; earlier commits stay, and the message says how many objects they have.
            """)

    @OptionGroup var store: StoreArguments

    @Argument(
        help: ArgumentHelp("The model, then the file.", valueName: "model> <file"),
        completion: .file())
    var operands: [String] = []

    @Flag(help: "Each line names its model.") var all = false
    @Flag(help: "Replace an existing object that has the same key.") var upsert = false
    @Flag(help: "Leave out sealed values.") var withoutSealed = false
    @OptionGroup var output: JSONArguments
    @OptionGroup var quiet: QuietArguments

    private var model: String? { all ? nil : operands.first }
    private var file: String { (all ? operands : Array(operands.dropFirst())).first ?? "-" }

    func validate() throws {
        guard all || model != nil else {
            throw ValidationError("the model is missing: name it, or give --all")
        }
        guard operands.count <= (all ? 1 : 2) else {
            throw ValidationError(
                all ? "--all excludes a model: the lines name theirs" : "more than one file")
        }
        guard file != "-" || !store.key.takesStandardInput else {
            throw ValidationError("key and objects cannot both come from standard input")
        }
    }

    func run() throws {
        // Reads the key before opening any file: if the descriptor of `--key-fd` is not open, the
        // first file to be opened could get its number, and the key would be read from there.
        let key = try store.storeKey()
        let source = try InputFile(file, within: store.timeout.duration)
        let progress = ProgressBar(
            "import", unit: .bytes, total: source.byteCount.map { Int(clamping: $0) },
            isQuiet: quiet.quiet || output.json)
        let summary = try store.using(key, { _ in }) { opened in
            let database = try SchemaDatabase(opened)
            if let model { try database.schema.check(model, of: store.store) }
            Signals.catchInterrupts()
            return try take(source, into: database, progress)
        }
        progress.finish()
        if output.json {
            try ByteOutput.print(JSONOutput.line(summary))
        } else if !quiet.quiet {
            try ByteOutput.print(summary.text + "\n")
        }
    }

    private func take(
        _ source: InputFile, into database: SchemaDatabase, _ progress: ProgressBar
    ) throws -> ObjectImport.Summary {
        var work = ObjectImport(into: database, model: model)
        (work.replacesObjects, work.leavesOutSealed) = (upsert, withoutSealed)
        let input = ByteReader(source)
        do {
            try input.skipByteOrderMark()
            try work.run {
                try Signals.check()
                progress.update(Int(clamping: source.position))
                return try input.takeLine()
            }
        } catch {
            progress.finish()
            throw Self.explained(error, work.summary)
        }
        return work.summary
    }

    /// The error, with a summary of what the import did before it failed.
    private static func explained(
        _ error: any Error, _ summary: ObjectImport.Summary
    ) -> any Error {
        switch error {
        case let error as ObjectError: return explained(CommandError(error), summary)
        case let error as BullaError: return explained(CommandError(error), summary)
        case var error as CommandError:
            error.imported = summary
            return error
        case var error as Interrupted:
            error.imported = summary
            return error
        default: return error
        }
    }
}

extension ByteReader {
    /// The line at the current position, without its end; `nil` at the end of the input.
    fileprivate func takeLine() throws -> [UInt8]? {
        guard let line = try self.line(at: 0) else { return nil }
        var content = self[0..<line.end]
        if content.last == UInt8(ascii: "\r") { content.removeLast() }
        let bytes = Array(content)
        advance(past: line.next, lines: 1)
        return bytes
    }
}
