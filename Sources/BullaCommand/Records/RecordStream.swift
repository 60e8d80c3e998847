internal import ArgumentParser
internal import BullaText

/// The records of several inputs, one after the other.
final class RecordStream {
    private let format: RecordFormat
    private let fields: RecordFields
    private let timeout: Duration
    private var waiting: ArraySlice<String>
    private var reader: (any RecordReader)?
    private var file: InputFile?
    private var passedByteCount: UInt64 = 0
    /// The total size of the inputs before decompression, if it is known for all of them.
    let byteCount: UInt64?

    /// - Parameter timeout: if an input is a pipe, how long to wait until a process writes to it.
    /// - Throws: if one of the files does not exist, so that a load fails before it reads a record.
    init(
        _ paths: [String], format: RecordFormat, fields: RecordFields, within timeout: Duration
    ) throws {
        self.timeout = timeout
        self.format = format
        self.fields = fields
        waiting = paths[...]
        var sum: UInt64? = 0
        for path in paths {
            let count = path == "-" ? nil : try Descriptor.byteCount(ofFile: path)
            sum = count.flatMap { count in sum.map { $0 + count } }
        }
        byteCount = sum
    }

    /// How many bytes of the inputs have been read, counted before decompression.
    var position: UInt64 { passedByteCount + (file?.position ?? 0) }

    /// Reads the next record.
    ///
    /// - Returns: `false` at the end of all inputs.
    func read(_ record: inout Record) throws -> Bool {
        while reader != nil || !waiting.isEmpty {
            if reader == nil, let path = waiting.popFirst() { reader = try open(path) }
            record.clear()
            if try reader?.read(&record) == true { return true }
            passedByteCount += file?.byteCount ?? 0
            (reader, file) = (nil, nil)
        }
        return false
    }

    /// Replaces the record's value with the next part of it; returns `false` if there is none.
    func readMore(_ record: inout Record) throws -> Bool {
        try reader?.readMore(&record) ?? false
    }

    /// The position of a record in the current input, for a message.
    func place(of record: Record) -> String {
        "\(file?.name ?? "input"): line \(record.line)"
    }

    private func open(_ path: String) throws -> any RecordReader {
        let file = try InputFile(path, within: timeout)
        self.file = file
        let input = ByteReader(file)
        try input.skipByteOrderMark()
        let found = try format == .auto ? RecordFormat.find(for: input, in: file) : format
        switch found {
        case .jsonl:
            guard !fields.key.isEmpty else {
                throw CommandError(
                    .usage,
                    "load \(file.name): JSON lines need --key-field, the member that is the key")
            }
            return JSONLinesReader(input, fields: fields)
        case .packages: return PackagesReader(input, fields: fields)
        case .csv, .auto: return CSVReader(input, fields: fields)
        case .dump where format == .auto:
            throw CommandError(
                .usage,
                "load \(file.name): it is a dump, which names its trees itself; "
                    + "give --format dump, and no tree")
        case .dump: return DumpReader(input)
        }
    }
}

/// The format of a file of records.
enum RecordFormat: String, CaseIterable, ExpressibleByArgument, Sendable {
    case auto, csv, jsonl, packages, dump

    private static let names: [(suffix: String, format: RecordFormat)] = [
        (".csv", .csv), (".jsonl", .jsonl), (".ndjson", .jsonl), (".dump", .dump),
        ("Packages", .packages),
    ]
    private static let heads: [(prefix: String, format: RecordFormat)] = [
        (DumpForm.head, .dump), ("{", .jsonl), ("Package:", .packages),
    ]

    /// The format of an input, recognised by its name or its first bytes.
    ///
    /// - Throws: if neither is enough, or if a pipe brings compressed data that its name does not
    ///   announce.
    static func find(for reader: ByteReader, in file: InputFile) throws -> RecordFormat {
        if let known = names.first(where: { file.plainName.hasSuffix($0.suffix) }) {
            return known.format
        }
        let head = try reader.head(16)
        if let known = heads.first(where: { head.starts(with: $0.prefix.utf8) }) {
            return known.format
        }
        guard let compression = Compression.of(head: Array(head)) else {
            throw CommandError(
                .data,
                "read \(file.name): neither name nor content tells the format; "
                    + "give --format csv, jsonl, packages or dump")
        }
        throw CommandError(
            .data,
            "read \(file.name): \(compression.rawValue) data from a pipe; "
                + "put \(compression.tool) -dc before bulla, or name the file")
    }
}
