import BullaBenchKit
import BullaText
import Testing

@Suite struct `A Debian package index` {
    @Test func `becomes a record for each paragraph, with its text as it stands`() throws {
        let text = """
            Package: alpha
            Version: 1.0-2
            Architecture: amd64
            Description: first
             goes on, with Version: 9 in the text

            Package: beta
            Architecture: all
            Version: 1:2

            """
        let table = try RecordInput.table(Array(text.utf8), .debian, name: "index")
        let paragraphs = text.split(separator: "\n\n").map(String.init)
        #expect(records(of: table).map(\.key) == ["alpha 1.0-2 amd64", "beta 1:2 all"])
        #expect(records(of: table).map(\.value) == [paragraphs[0], trimmed(paragraphs[1])])
    }

    @Test func `whose paragraph lacks a field is refused with its line`() {
        let text = "Package: a\nVersion: 1\nArchitecture: all\n\n\nPackage: b\nVersion: 2\n"
        let error = #expect(throws: BenchError.self) {
            try RecordInput.table(Array(text.utf8), .debian, name: "index")
        }
        #expect(error?.exit == .input)
        #expect(
            error?.message
                == "read index: line 6: the paragraph that begins here has no field Architecture")
    }

    @Test func `that names a record twice keeps the later one`() throws {
        let paragraph = "Package: a\nVersion: 1\nArchitecture: all\nTag: "
        let text = paragraph + "old\n\n" + paragraph + "new\n"
        let table = try RecordInput.table(Array(text.utf8), .debian, name: "index")
        #expect(table.count == 1)
        #expect(table.replacedCount == 1)
        #expect(records(of: table).map(\.value) == [paragraph + "new"])
    }

    private func trimmed(_ text: String) -> String {
        text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
}

@Suite struct `A CSV file` {
    private static let text = "id,name\n7,\"a, \"\"b\"\"\nc\"\n\n8,d\r\n"

    @Test func `becomes a record for each row, quoted line breaks included`() throws {
        let table = try RecordInput.table(Array(Self.text.utf8), .csv, name: "x.csv")
        #expect(records(of: table).map(\.key) == ["7", "8"])
        #expect(records(of: table).map(\.value) == ["7,\"a, \"\"b\"\"\nc\"", "8,d"])
    }

    @Test func `gives keys from the column that is named, unquoted`() throws {
        let table = try RecordInput.table(
            Array(Self.text.utf8), .csv, keyField: "name", name: "x.csv")
        #expect(records(of: table).map(\.key) == ["a, \"b\"\nc", "d"])
    }

    @Test(arguments: [
        ("id,name\n1\n", "line 2: the row has 1 fields, the header has 2"),
        (
            "id,name\n1,\"open\n\n",
            "line 2: a quoted field of the row that begins here is not closed"
        ),
        ("id,name\n1,\"a\"b\n", "line 2: a quote stands in the middle of field 2"),
        ("id,name\n,b\n", "line 2: the key is empty"),
    ])
    func `that is broken is refused with its line`(text: String, message: String) {
        let error = #expect(throws: BenchError.self) {
            try RecordInput.table(Array(text.utf8), .csv, name: "x.csv")
        }
        #expect(error?.message.hasPrefix("read x.csv: \(message)") == true)
    }
}

@Suite struct `A file of JSON lines` {
    @Test func `becomes a record for each line, whatever else is in it`() throws {
        let lines = [#"{"id":"a","list":[1,{"b":null}]}"#, #"{"id":12}"#, #"{"id":true,"x":{}}"#]
        let text = lines.joined(separator: "\n") + "\n\n"
        let table = try RecordInput.table(Array(text.utf8), .jsonLines, name: "x.jsonl")
        #expect(records(of: table).map(\.key) == ["a", "12", "true"])
        #expect(records(of: table).map(\.value) == lines)
    }

    @Test(arguments: [
        ("{\"id\":1}\nnonsense\n", "line 2: not a JSON object"),
        ("[1]\n", "line 1: not a JSON object"),
        ("{\"key\":1}\n", "line 1: the object has no member id"),
        (
            "{\"id\":[1]}\n", "line 1: the member id is no string, number or truth value"
        ),
        ("{\"id\":\"\"}\n", "line 1: the key is empty"),
    ])
    func `that is broken is refused with its line`(text: String, message: String) {
        let error = #expect(throws: BenchError.self) {
            try RecordInput.table(Array(text.utf8), .jsonLines, name: "x.jsonl")
        }
        #expect(error?.message.hasPrefix("read x.jsonl: \(message)") == true)
    }
}

@Suite struct `An input file` {
    @Test func `is known by its name or its first bytes`() {
        #expect(RecordInput.form(of: "a.csv", []) == .csv)
        #expect(RecordInput.form(of: "a.ndjson", []) == .jsonLines)
        #expect(RecordInput.form(of: "x_Packages", Array("Package: a".utf8)) == .debian)
        #expect(RecordInput.form(of: "x", Array("{\"id\":1}".utf8)) == .jsonLines)
        #expect(RecordInput.form(of: "x", Array("nonsense".utf8)) == nil)
        #expect(RecordInput(path: "lists/host_Packages.lz4").label == "Packages")
        #expect(RecordInput(path: "lists/a.csv.gz").label == "a.csv")
        #expect(RecordInput(path: "a.csv").label == "a.csv")
    }

    @Test(arguments: ["gzip", "xz"])
    func `that is packed is unpacked by the system's tool`(tool: String) throws {
        let scratch = try Scratch(under: "/tmp", isKept: false)
        let plain = scratch.file("a.csv")
        try Descriptor.create(plain).write(Array("id\n1\n2\n".utf8))
        let suffix = tool == "gzip" ? "gz" : tool
        let packed = try Child.output(of: tool, ["-c", plain], limit: 1 << 20, reading: plain)
        try Descriptor.create("\(plain).\(suffix)").write(packed)
        let table = try RecordInput(path: "\(plain).\(suffix)").table()
        #expect(records(of: table).map(\.key) == ["1", "2"])
    }

    @Test func `without a record is refused`() throws {
        let scratch = try Scratch(under: "/tmp", isKept: false)
        let path = scratch.file("a.csv")
        try Descriptor.create(path).write([])
        let error = #expect(throws: BenchError.self) { try RecordInput(path: path).table() }
        #expect(error?.message == "read \(path): it has no records")
    }

    @Test func `that is damaged is refused with the tool's status`() throws {
        let scratch = try Scratch(under: "/tmp", isKept: false)
        let path = scratch.file("a.csv.gz")
        try Descriptor.create(path).write(Array("this is not gzip".utf8))
        let error = #expect(throws: BenchError.self) { try RecordInput(path: path).table() }
        #expect(error?.exit == .input)
    }

    @Test func `that is not there is told by its name`() {
        let path = "/nowhere/Packages.gz"
        let error = #expect(throws: BenchError.self) { try RecordInput(path: path).table() }
        #expect(error?.message.hasPrefix("open /nowhere/Packages.gz: ") == true)
    }
}

/// The records of a table, as text.
func records(of table: RecordTable) -> [(key: String, value: String)] {
    table.places.map { place in
        (
            table.withKey(place) { String(decoding: [UInt8]($0), as: UTF8.self) },
            table.withValue(place) { String(decoding: [UInt8]($0), as: UTF8.self) }
        )
    }
}
