internal import ArgumentParser
internal import Bulla
internal import BullaObjects

/// `bulla objects export`: writes objects as lines of JSON.
struct ObjectsExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write objects as lines of JSON, which bulla objects import reads.",
        usage: "bulla objects export <store> [<model> ...] [<options>]",
        discussion: """
            One object per line, its properties by their names: {"number":7,"name":"Enheduanna"}. \
            If you name several models, or none to export all, each line names its model: \
            {"Employee":{"number":7}}.

            An import reads back the same values: whole numbers from 2^53 on, decimal numbers, \
            and numbers that JSON lacks are strings; moments are strings such as \
            "2026-11-27T19:43:39.25Z", bytes are base64, links are keys. Sealed values are not \
            exported: {"sealed":120} says how many bytes one has.

              bulla objects export my.bulla --output all.jsonl --key-file my.key
              bulla objects export my.bulla Employee --key-file my.key | jq .name

            The objects show one moment, whatever others write meanwhile.
            """)

    @OptionGroup var store: StoreArguments
    @Argument(help: "The models; without any, all of them.") var models: [String] = []

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("A file to make, instead of standard output.", valueName: "file"),
        completion: .file())
    var output: String?

    @OptionGroup var quiet: QuietArguments

    func run() throws {
        try store.readingObjects { snapshot in
            let schema = snapshot.schema
            for name in models { try schema.check(name, of: store.store) }
            let names = models.isEmpty ? schema.models.map(\.name) : models
            try Descriptor.lending(creating: output) { file in
                try write(names, of: snapshot, to: file)
            }
        }
    }

    private func write(
        _ names: [String], of snapshot: borrowing ObjectSnapshot, to file: Descriptor
    ) throws {
        var total = 0
        for name in names { total += try snapshot.count(of: TextQuery(name)) }
        let progress = ProgressBar(
            "export", unit: .objects, total: total, isQuiet: quiet.quiet || output == nil)
        let answer = ByteOutput(file)
        var printer = LinePrinter(answer)
        for name in names {
            try snapshot.forEachLine(TextQuery(name), namesModel: models.count != 1) { line in
                progress.update(printer.count)
                return try printer.print(line)
            }
        }
        try answer.flush()
        progress.finish()
    }
}
