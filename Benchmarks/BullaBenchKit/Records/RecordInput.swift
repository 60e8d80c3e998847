/// A file of real records: what packs it, and what is in it.
package struct RecordInput: Sendable {
    /// What a file is packed with, told by its name.
    package enum Packing: String, CaseIterable, Sendable {
        case lz4, gz, xz

        /// The system's tool that unpacks it to its output.
        var tool: String {
            switch self {
            case .lz4: "lz4"
            case .gz: "gzip"
            case .xz: "xz"
            }
        }
    }

    /// What its records look like.
    package enum Form: String, CaseIterable, Sendable {
        case debian, csv, jsonLines
    }

    /// Inputs are held in memory whole while they are read; larger ones are refused, not swapped.
    package static let byteLimit = 2 << 30

    package let path: String
    package let keyField: String?

    package init(path: String, keyField: String? = nil) {
        self.path = path
        self.keyField = keyField
    }

    /// The file's own name, without what says how it is packed.
    package var name: String {
        let file = path.split(separator: "/").last.map(String.init) ?? path
        guard let packing = Self.packing(of: file) else { return file }
        return String(file.dropLast(packing.rawValue.count + 1))
    }

    /// A short name for the table: of an index of apt's, whose name spells its address, the last
    /// part.
    package var label: String {
        name.hasSuffix("_Packages") ? "Packages" : name
    }

    /// Reads, unpacks and parses it.
    package func table() throws -> RecordTable {
        let bytes = try contents()
        let table = try Self.table(bytes, name: name, path: path, keyField: keyField)
        guard table.count > 0 else { throw BenchError(.input, "read \(path): it has no records") }
        return table
    }

    package static func packing(of file: String) -> Packing? {
        Packing.allCases.first { file.hasSuffix(".\($0.rawValue)") }
    }

    /// Told by the name where it ends in a known way, else by the first bytes.
    package static func form(of name: String, _ bytes: [UInt8]) -> Form? {
        if name.hasSuffix(".csv") { return .csv }
        if name.hasSuffix(".jsonl") || name.hasSuffix(".ndjson") { return .jsonLines }
        if bytes.starts(with: "Package:".utf8) { return .debian }
        return bytes.first == UInt8(ascii: "{") ? .jsonLines : nil
    }

    private static func table(
        _ bytes: [UInt8], name: String, path: String, keyField: String?
    ) throws -> RecordTable {
        switch form(of: name, bytes) {
        case .debian: return try DebianRecords.table(bytes, name: name)
        case .csv: return try CSVRecords.table(bytes, keyField: keyField, name: name)
        case .jsonLines: return try JSONLinesRecords.table(bytes, keyField: keyField, name: name)
        case nil:
            throw BenchError(
                .input, "read \(path): it is neither a Debian package index nor .csv nor .jsonl")
        }
    }

    private func contents() throws -> [UInt8] {
        guard let packing = Self.packing(of: path) else {
            return try Descriptor.open(path).readToEnd(limit: Self.byteLimit, of: path)
        }
        // Opened first, so that a missing file is told by its own name and not by the tool.
        _ = try Descriptor.open(path)
        return try Child.output(
            of: packing.tool, ["-dc", "--", path], limit: Self.byteLimit, reading: path)
    }
}
