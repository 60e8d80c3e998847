import BullaText
import Testing

/// Bytes that arrive a few at a time, so that every record crosses a boundary.
private final class Pieces: ByteOrigin {
    struct Refusal: Error { let message: String }

    let name = "in"
    private var rest: ArraySlice<UInt8>

    init(_ text: String) { rest = Array(text.utf8)[...] }

    func read(into buffer: inout [UInt8], from offset: Int) throws -> Int {
        let piece = rest.prefix(min(3, buffer.count - offset))
        buffer.replaceSubrange(offset..<offset + piece.count, with: piece)
        rest = rest.dropFirst(piece.count)
        return piece.count
    }

    func refusal(_ message: String) -> any Error { Refusal(message: message) }
}

@Suite struct `A reader of records` {
    @Test func `gives rows as objects, or as they stand`() throws {
        let text = "id,name\r\n1,\"a\nb\"\r\n\n2,c\n"
        let objects = try records(CSVReader(ByteReader(Pieces(text)), fields: RecordFields()))
        #expect(objects.map(\.[0]) == ["1", "2"])
        #expect(
            objects.map(\.[1]) == [#"{"id":"1","name":"a\nb"}"#, #"{"id":"2","name":"c"}"#])
        let rows = RecordFields(key: ["name"], keepsRows: true)
        let kept = try records(CSVReader(ByteReader(Pieces(text)), fields: rows))
        #expect(kept == [["a\nb", "1,\"a\nb\""], ["c", "2,c"]])
    }

    @Test func `gives lines by a string, a number or a truth value in them`() throws {
        let lines = [#"{"id":"\u00e9"}"#, #"{"id":-1.50}"#, #"{"x":[{}],"id":true}"#]
        let reader = JSONLinesReader(
            ByteReader(Pieces(lines.joined(separator: "\n"))), fields: RecordFields(key: ["id"]))
        #expect(try records(reader) == zip(["\u{e9}", "-1.50", "true"], lines).map { [$0, $1] })
    }

    @Test func `gives paragraphs by three of their fields`() throws {
        let text = "Package: a\nVersion: 1\nArchitecture: all\nTag: x\n y\n\n"
        let reader = PackagesReader(ByteReader(Pieces(text)), fields: RecordFields())
        #expect(try records(reader) == [["a 1 all", String(text.dropLast())]])
    }

    @Test func `refuses with the line`() {
        let error = #expect(throws: Pieces.Refusal.self) {
            try records(CSVReader(ByteReader(Pieces("a,b\n1\n")), fields: RecordFields()))
        }
        #expect(error?.message == "in: line 2: the row has 1 fields, the header has 2")
    }

    private func records(_ reader: some RecordReader) throws -> [[String]] {
        var (reader, record, found) = (reader, Record(), [[String]]())
        while try reader.read(&record) {
            found.append([record.key, record.value].map { String(decoding: $0, as: UTF8.self) })
            record.clear()
        }
        return found
    }
}
