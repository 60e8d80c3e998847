/// Debian's index of packages: paragraphs of fields, with an empty line between them.
///
/// A paragraph becomes a record: its key is `Package Version Architecture`, its value the
/// paragraph.
///
/// - Source: Debian Policy, section 5.1, "Syntax of control files".
package enum DebianRecords {
    private static let fields = ["Package", "Version", "Architecture"]
    private static let prefixes = fields.map { Array("\($0): ".utf8) }

    package static func table(_ input: [UInt8], name: String) throws -> RecordTable {
        var table = RecordTable()
        var lines = InputLines(input)
        while let paragraph = nextParagraph(&lines) {
            let key = try key(of: paragraph, name)
            let value = input[paragraph.start..<paragraph.end]
            table.append(
                key: { $0.append(contentsOf: key) }, value: { $0.append(contentsOf: value) })
        }
        return table
    }

    private struct Paragraph {
        var line: Int
        var start: Int
        var end: Int
        var parts: [ArraySlice<UInt8>?]
    }

    /// The next paragraph, without the line breaks behind it.
    private static func nextParagraph(_ lines: inout InputLines) -> Paragraph? {
        var paragraph: Paragraph?
        while let line = lines.next() {
            guard !line.isEmpty else {
                if paragraph != nil { break }
                continue
            }
            var current =
                paragraph
                ?? Paragraph(
                    line: lines.number, start: line.startIndex, end: 0, parts: [nil, nil, nil])
            current.end = line.endIndex
            take(line, into: &current)
            paragraph = current
        }
        return paragraph
    }

    private static func take(_ line: ArraySlice<UInt8>, into paragraph: inout Paragraph) {
        for (index, prefix) in prefixes.enumerated() where line.starts(with: prefix) {
            paragraph.parts[index] = line.dropFirst(prefix.count)
        }
    }

    private static func key(of paragraph: Paragraph, _ name: String) throws -> [UInt8] {
        var key: [UInt8] = []
        for (field, part) in zip(fields, paragraph.parts) {
            guard let part, !part.isEmpty else {
                throw BenchError(
                    .input, "read \(name): the paragraph at line \(paragraph.line) has no \(field)")
            }
            if !key.isEmpty { key.append(UInt8(ascii: " ")) }
            key.append(contentsOf: part)
        }
        return key
    }
}
