internal import ArgumentParser
internal import Bulla
internal import BullaObjects

/// `bulla objects query`: writes the objects that a condition selects.
struct ObjectsQueryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Write the objects of a model that a condition selects.",
        usage: "bulla objects query <store> <model> [<condition>] [<options>]",
        discussion: """
            The first line has the names of the properties, and each other line has one object; \
            tabs separate the columns. Texts are escaped as in scan; other values are JSON. With \
            --json one object per line, as bulla objects export writes it, and no line of names.

              bulla objects query my.bulla Employee 'age > 60' --key-file my.key
              bulla objects query my.bulla Employee --sort age,-name --limit 20 \\
                --select name,company.name --key-file my.key
              bulla objects query my.bulla Company 'count(Employee.company) > 3' \\
                --count --key-file my.key

            \(ObjectQueryArguments.language)

            The objects show one moment, whatever others write meanwhile.
            """)

    @OptionGroup var store: StoreArguments
    @OptionGroup var arguments: ObjectQueryArguments
    @Flag(help: "Write only the number of objects.") var count = false
    @OptionGroup var output: JSONArguments

    func validate() throws {
        guard !count || arguments.sort == nil && arguments.select == nil else {
            throw ValidationError("--count excludes --sort and --select")
        }
    }

    func run() throws {
        try store.readingObjects { snapshot in
            try snapshot.schema.check(arguments.model, of: store.store)
            if count { return try printCount(snapshot) }
            let answer = ByteOutput()
            if output.json {
                try printLines(snapshot, answer)
            } else {
                try printRows(snapshot, answer)
            }
            try answer.flush()
        }
    }

    private func printCount(_ snapshot: borrowing ObjectSnapshot) throws {
        let count = try snapshot.count(of: arguments.query)
        try ByteOutput.print(output.json ? "{\"objectCount\":\(count)}\n" : "\(count)\n")
    }

    private func printLines(_ snapshot: borrowing ObjectSnapshot, _ answer: ByteOutput) throws {
        var printer = LinePrinter(answer)
        try snapshot.forEachLine(arguments.query) { try printer.print($0) }
    }

    private func printRows(_ snapshot: borrowing ObjectSnapshot, _ answer: ByteOutput) throws {
        var printer = LinePrinter(answer)
        let names = try snapshot.columnNames(of: arguments.query)
        _ = try printer.print(Self.line(names.map { Array($0.utf8) }))
        try snapshot.forEachRow(arguments.query) { row in
            try printer.print(
                Self.line(
                    row.map { cell in
                        if case .scalar(.string(let text)) = cell.value {
                            Array(text.utf8)
                        } else {
                            cell.json
                        }
                    }))
        }
    }

    private static func line(_ cells: [[UInt8]]) -> [UInt8] {
        var line: [UInt8] = []
        for (index, cell) in cells.enumerated() {
            if index > 0 { line.append(UInt8(ascii: "\t")) }
            EscapedText.append(cell, to: &line)
        }
        return line
    }
}

/// `bulla objects explain`: explains how a query would be answered.
struct ObjectsExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain how a query would be answered now, and why.",
        usage: "bulla objects explain <store> <model> [<condition>] [<options>]",
        discussion: """
            It takes the arguments of bulla objects query, and names the indexes that are used.

              bulla objects explain my.bulla Employee 'age > 60' --key-file my.key
            """)

    @OptionGroup var store: StoreArguments
    @OptionGroup var arguments: ObjectQueryArguments
    @OptionGroup var output: JSONArguments

    private struct Answer: Encodable {
        let steps: [String]
    }

    func run() throws {
        let text = try store.readingObjects { snapshot in
            try snapshot.schema.check(arguments.model, of: store.store)
            return try snapshot.explain(arguments.query)
        }
        let steps = text.split(separator: "\n").map { EscapedText.line(Array($0.utf8)) }
        try ByteOutput.print(
            output.json
                ? JSONOutput.line(Answer(steps: steps)) : steps.map { $0 + "\n" }.joined())
    }
}
