internal import ArgumentParser
internal import Bulla
internal import BullaObjects

/// `bulla objects`: works on objects of the library BullaObjects without needing a program's
/// models.
struct ObjectsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "objects",
        abstract: "Describe, query, export and import the objects of a store.",
        usage: "bulla objects <verb> <store> [<model>] [<options>]",
        discussion: """
            A store that a program fills through the library BullaObjects describes itself: its \
            models, their properties and links. These commands read it without that program.

              bulla objects list my.bulla --key-file my.key
              bulla objects query my.bulla Employee 'age > 60' --key-file my.key
              bulla objects export my.bulla Employee --key-file my.key > staff.jsonl
            """,
        subcommands: [
            ObjectsListCommand.self, ObjectsSchemaCommand.self, ObjectsQueryCommand.self,
            ObjectsExplainCommand.self, ObjectsExportCommand.self, ObjectsImportCommand.self,
        ])
}

extension StoreArguments {
    /// Opens an existing store, lends a snapshot of its objects to `body`, and closes the store.
    func readingObjects<R>(_ body: (borrowing ObjectSnapshot) throws -> R) throws -> R {
        try reading { opened in try SchemaDatabase(opened).read { try body($0) } }
    }
}

/// `bulla objects list`: lists the models.
struct ObjectsListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the models, with the number of their objects.",
        usage: "bulla objects list <store> [<options>]",
        discussion: """
            One model per line: name, tab, number of objects. With --json one object per line.

              bulla objects list my.bulla --key-file my.key
            """)

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: JSONArguments

    private struct Line: Encodable {
        let model: String
        let objectCount: Int
    }

    func run() throws {
        let lines = try store.readingObjects { snapshot in
            try snapshot.schema.models.map { model in
                let count = try snapshot.count(of: TextQuery(model.name))
                return output.json
                    ? JSONOutput.line(Line(model: model.name, objectCount: count))
                    : EscapedText.line(Array(model.name.utf8)) + "\t\(count)\n"
            }
        }
        try ByteOutput.print(lines.joined())
    }
}

/// `bulla objects schema`: describes the objects.
struct ObjectsSchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Describe the objects: models, properties, links and indexes.",
        usage: "bulla objects schema <store> [<options>]",
        discussion: """
              bulla objects schema my.bulla --key-file my.key
              bulla objects schema my.bulla --json --key-file my.key | jq .models[].name
            """)

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: JSONArguments

    func run() throws {
        let answer = SchemaAnswer(try store.readingObjects { $0.schema })
        try ByteOutput.print(output.json ? JSONOutput.line(answer) : answer.text)
    }
}
