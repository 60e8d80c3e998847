import Bulla
import BullaCipher
import BullaTestSupport
import Foundation
import Testing

/// The documented layout of the file agrees with the tables of the code.
@Suite struct `The documented file format` {
    @Test func `has the header's fields`() throws {
        let rows = HeaderField.allCases.map { Row($0, $0.offset, $0.byteCount, $0.meaning) }
        try expectTable("header", rows)
    }

    @Test func `has the meta slot's fields`() throws {
        let rows = MetaField.allCases.map { Row($0, $0.offset, $0.byteCount, $0.meaning) }
        try expectTable("meta", rows)
    }

    @Test func `has the commit record's fields`() throws {
        let rows = CommitField.allCases.map { Row($0, $0.offset, $0.byteCount, $0.meaning) }
        try expectTable("commit", rows)
    }

    @Test func `has the fields of the table of key epochs`() throws {
        let rows = KeyEpochTableField.allCases.map { Row($0, $0.offset, $0.byteCount, $0.meaning) }
        try expectTable("key-epochs", rows)
    }

    @Test func `has the fields of a segment's header and of a mark`() throws {
        let segment = SegmentField.allCases.map { Row($0, $0.offset, $0.byteCount, $0.meaning) }
        try expectTable("segment", segment)
        let mark = LogMarkField.allCases.map { Row($0, $0.offset, $0.byteCount, $0.meaning) }
        try expectTable("mark", mark)
    }

    @Test func `has the fields of the keyring and of a slot`() throws {
        let keyring = KeyringField.allCases.map { Row($0, $0.offset, $0.byteCount, "") }
        let slot = SlotField.allCases.map { Row($0, $0.offset, $0.byteCount, "") }
        for (name, rows) in [("keyring", keyring), ("slot", slot)] {
            let documented = try documentedRows(name).map { $0.split(separator: "|").prefix(3) }
            #expect(documented == rows.map { $0.text.split(separator: "|").prefix(3) })
        }
    }

    @Test func `has the words of the coordination file`() throws {
        let code = try String(
            contentsOf: root.appending(path: "Sources/Bulla/Coordination/WorldLayout.swift"),
            encoding: .utf8)
        // The table above the code gives the offset, length and content of each word; cells and
        // slots have no length there.
        let table = code.matches(of: #//// +([0-9]+) +([0-9]+|-) /#).map { match in
            (offset: Int(match.1), byteCount: Int(match.2))
        }
        let documented = try documentedRows("coordination").map { row in
            let cells = row.split(separator: "|").map { $0.split(separator: " ").first }
            return (offset: cells[0].flatMap { Int($0) }, byteCount: cells[1].flatMap { Int($0) })
        }
        #expect(documented.map { $0.offset } == table.map { $0.offset })
        for (row, word) in zip(documented, table) where word.byteCount != nil {
            #expect(row.byteCount == word.byteCount, "at \(row.offset ?? -1)")
        }
        // Each offset that the code declares lies in a row of the table.
        let constants = code.matches(of: #/static let ([a-zA-Z]+) = ([0-9]+)\n/#)
            .filter { !$0.1.hasSuffix("ByteCount") }.compactMap { Int($0.2) }
        #expect(constants.count > 20)
        for constant in constants {
            let isDocumented = documented.contains { row in
                guard let offset = row.offset, let byteCount = row.byteCount else { return false }
                return offset <= constant && constant < offset + byteCount
            }
            #expect(isDocumented, "offset \(constant)")
        }
    }

    @Test func `leaves a meta slot shorter than a disk's sector`() {
        #expect(MetaField.byteCount <= 512)
        #expect(CommitField.byteCount + TrailerField.totalByteCount <= 512 - 8)
    }

    private struct Row {
        let text: String
        init(_ field: some Any, _ offset: Int, _ byteCount: Int, _ meaning: String) {
            text = "| \(offset) | \(byteCount) | \(field) | \(meaning) |"
        }
    }

    private func expectTable(_ name: String, _ rows: [Row]) throws {
        #expect(try documentedRows(name) == rows.map(\.text))
    }

    private var root: URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
    }

    private func documentedRows(_ name: String) throws -> [String] {
        let page = root.appending(path: "Sources/Bulla/Bulla.docc/FileFormat.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let lines = text.split(separator: "\n").map(String.init)
        let start = try #require(lines.firstIndex(of: "<!-- layout: \(name) -->"))
        let end = try #require(lines[start...].firstIndex(of: "<!-- /layout -->"))
        return Array(lines[start + 3..<end])
    }
}
