internal import BullaText

/// Reads an input as records of one format.
struct RecordFuzz {
    private let format: RecordFormat

    init(_ target: FuzzTarget) {
        format = RecordFormat(rawValue: target.rawValue) ?? .auto
    }

    /// The first byte says whether the format is given, and which fields are wanted.
    func run(_ input: FuzzInput) {
        var input = input
        let choice = input.byte()
        let bytes = input.rest
        // Skip compressed input: another program would decompress it.
        guard Compression.of(head: bytes) == nil else { return }
        let path = FuzzFile.path("records")
        precondition(FuzzFile.write(bytes, to: path), "the input can be written")
        var fields = RecordFields()
        if choice & 2 != 0 { fields.key = ["a", "Package"] }
        if choice & 4 != 0 { fields.value = "b" }
        do {
            let format = choice & 1 == 0 ? format : .auto
            let stream = try RecordStream([path], format: format, fields: fields, within: .zero)
            var record = Record()
            while try stream.read(&record) {
                precondition(record.line > 0, "a record begins at a line")
                while try stream.readMore(&record) {}
            }
        } catch {
            precondition(error is CommandError, "what is malformed is a command's error")
        }
    }

    var seeds: [[UInt8]] {
        let texts =
            switch format {
            case .csv:
                [
                    "a,b\n1,2\n", "a,b\r\n\"x\"\"y\",\"1\n2\"\r\n\n3,4",
                    "Package,b\n\u{e9},\"\"\n",
                ]
            case .jsonl:
                [
                    "{\"a\":\"x\",\"b\":[1,2.5e-3,null]}\n", "{\"a\":\"\\u00e9\\ud83d\\ude00\"}\n",
                    "{\"a\":{\"b\":true},\"b\":\"\\n\"}\n{\"a\":-0}\n",
                ]
            case .packages:
                ["Package: a\nVersion: 1\nDescription: x\n y\n .\n\nPackage: b\n", "Package: c\n"]
            default:
                [
                    "\(DumpForm.head)\n\(DumpForm.tree)t\nkey\tvalue\n\tmore\n\(DumpForm.end)1 1\n",
                    "\(DumpForm.head)\n\(DumpForm.tree)\\x00\n\\\\\t\\n\n\(DumpForm.end)1 1\n",
                ]
            }
        return texts.flatMap { text in [0, 1, 6].map { [$0] + Array(text.utf8) } }
    }
}
