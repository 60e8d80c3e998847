internal import BullaText

/// A file of real records: how it is packed, and what it contains.
package struct RecordInput: Sendable {
    /// The tools that unpack files, by the suffixes of the packed files' names.
    private static let tools = [".lz4": "lz4", ".gz": "gzip", ".xz": "xz"]

    package enum Form: String, CaseIterable, Sendable { case debian, csv, jsonLines }

    /// How long an input may be; while it is read, the whole input is held in memory.
    package static let byteLimit = 2 << 30

    package let path: String
    package let keyField: String?

    package init(path: String, keyField: String? = nil) {
        (self.path, self.keyField) = (path, keyField)
    }

    package var name: String {
        let file = path.split(separator: "/").last.map(String.init) ?? path
        let ending = Self.tools.keys.first(where: file.hasSuffix) ?? ""
        return String(file.dropLast(ending.count))
    }

    /// The name of the input in results; for an apt index, the last part of its long file name.
    package var label: String { name.hasSuffix("_Packages") ? "Packages" : name }

    package func table() throws -> RecordTable {
        let bytes = try contents()
        guard let form = Self.form(of: name, bytes) else {
            throw BenchError(
                .input, "read \(path): it is neither a Debian package index nor .csv nor .jsonl")
        }
        let table = try Self.table(bytes, form, keyField: keyField, name: name)
        guard table.count > 0 else { throw BenchError(.input, "read \(path): it has no records") }
        return table
    }

    /// The form according to the name's suffix or, if the suffix does not tell, to the first bytes.
    package static func form(of name: String, _ bytes: [UInt8]) -> Form? {
        if name.hasSuffix(".csv") { return .csv }
        if name.hasSuffix(".jsonl") || name.hasSuffix(".ndjson") { return .jsonLines }
        if bytes.starts(with: "Package:".utf8) { return .debian }
        return bytes.first == UInt8(ascii: "{") ? .jsonLines : nil
    }

    /// Reads the records of `bytes`, which messages call `name`.
    package static func table(
        _ bytes: [UInt8], _ form: Form, keyField: String? = nil, name: String
    ) throws -> RecordTable {
        let input = ByteReader(InputBytes(bytes, name: "read \(name)"))
        let key = keyField.map { [$0] }
        var reader: any RecordReader =
            switch form {
            case .debian: PackagesReader(input, fields: RecordFields())
            case .csv: CSVReader(input, fields: RecordFields(key: key ?? [], keepsRows: true))
            case .jsonLines: JSONLinesReader(input, fields: RecordFields(key: key ?? ["id"]))
            }
        var table = RecordTable()
        var record = Record()
        while try reader.read(&record) {
            guard !record.key.isEmpty else {
                throw input.failure("the key is empty", at: record.line)
            }
            if form == .debian, record.value.last == UInt8(ascii: "\n") {
                record.value.removeLast()
            }
            table.append(key: record.key, value: record.value)
            record.clear()
        }
        return table
    }

    private func contents() throws -> [UInt8] {
        guard let tool = Self.tools.first(where: { path.hasSuffix($0.key) })?.value else {
            return try Descriptor.open(path).readToEnd(limit: Self.byteLimit, of: path)
        }
        // Opens the file first, so that a missing file is reported here, and not by the tool.
        _ = try Descriptor.open(path)
        return try Child.output(
            of: tool, ["-dc", "--", path], limit: Self.byteLimit, reading: path)
    }
}

private final class InputBytes: ByteOrigin {
    let name: String
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8], name: String) { (rest, self.name) = (bytes[...], name) }

    func read(into buffer: inout [UInt8], from offset: Int) throws -> Int {
        let piece = rest.prefix(buffer.count - offset)
        buffer.replaceSubrange(offset..<offset + piece.count, with: piece)
        rest = rest.dropFirst(piece.count)
        return piece.count
    }

    func refusal(_ message: String) -> any Error { BenchError(.input, message) }
}
