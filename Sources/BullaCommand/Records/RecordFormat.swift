internal import ArgumentParser

/// How the records lie in a file.
enum RecordFormat: String, CaseIterable, ExpressibleByArgument, Sendable {
    case auto, csv, jsonl, packages, dump

    private static let names: [(suffix: String, format: RecordFormat)] = [
        (".csv", .csv), (".jsonl", .jsonl), (".ndjson", .jsonl), (".dump", .dump),
        ("Packages", .packages),
    ]
    private static let heads: [(prefix: String, format: RecordFormat)] = [
        (DumpForm.head, .dump), ("{", .jsonl), ("Package:", .packages),
    ]

    /// The format of an input, found by its name or its first bytes.
    ///
    /// - Throws: when neither tells, or when it is compressed and comes through a pipe.
    static func find(for reader: ByteReader) throws -> RecordFormat {
        if let known = names.first(where: { reader.file.plainName.hasSuffix($0.suffix) }) {
            return known.format
        }
        let head = try reader.head(16)
        if let known = heads.first(where: { head.starts(with: $0.prefix.utf8) }) {
            return known.format
        }
        guard let compression = Compression.of(head: Array(head)) else {
            throw CommandError(
                .data,
                "read \(reader.file.name): neither name nor content tells the format; "
                    + "give --format csv, jsonl, packages or dump")
        }
        throw CommandError(
            .data,
            "read \(reader.file.name): \(compression.rawValue) data from a pipe; "
                + "put \(compression.tool) -dc before bulla, or name the file")
    }
}
