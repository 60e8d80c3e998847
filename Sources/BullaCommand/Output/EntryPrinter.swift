internal import Bulla
internal import BullaText

/// Prints the entries of a scan, one per line.
struct EntryPrinter {
    /// How bytes are shown.
    enum Form {
        /// In the one-line form of ``EscapedText``, with a tab between key and value.
        case text
        /// As hexadecimal digits, with a tab between key and value.
        case hex
        /// As they are, with a tab between key and value: ambiguous if they contain a tab or a
        /// newline.
        case raw
        /// As one JSON object per line.
        case json
    }

    /// The length in bytes of the longest value that is written as JSON: a program that reads the
    /// object has to hold all of it in memory.
    static let jsonValueByteLimit = 64 << 20

    let form: Form
    let hasValues: Bool
    let output = ByteOutput()
    private var part: [UInt8] = []

    init(form: Form, hasValues: Bool) {
        self.form = form
        self.hasValues = hasValues
    }

    /// Prints the current entry of a walk.
    mutating func print(_ walk: borrowing EntryWalk, of snapshot: borrowing Snapshot) throws {
        if form == .json {
            try printObject(walk, of: snapshot)
        } else {
            append(walk.key)
            if hasValues { try printValue(walk, of: snapshot) }
        }
        output.buffer.append(UInt8(ascii: "\n"))
        try output.passOn()
    }

    func append(_ bytes: [UInt8]) {
        switch form {
        case .text, .json: EscapedText.append(bytes, to: &output.buffer)
        case .hex: Hex.append(bytes, to: &output.buffer)
        case .raw: output.buffer.append(contentsOf: bytes)
        }
    }

    private mutating func printValue(
        _ walk: borrowing EntryWalk, of snapshot: borrowing Snapshot
    ) throws {
        output.buffer.append(UInt8(ascii: "\t"))
        var part = part
        try walk.withValueParts(of: snapshot) { span in
            part.removeAll(keepingCapacity: true)
            part.append(span)
            append(part)
            try output.passOn()
        }
        self.part = part
    }

    private mutating func printObject(
        _ walk: borrowing EntryWalk, of snapshot: borrowing Snapshot
    ) throws {
        output.buffer.append(UInt8(ascii: "{"))
        JSONBytes.append("key", walk.key, to: &output.buffer)
        if hasValues {
            try Self.checkJSON(walk.valueByteCount)
            var value: [UInt8] = []
            try walk.withValueParts(of: snapshot) { value.append($0) }
            output.buffer.append(UInt8(ascii: ","))
            JSONBytes.append("value", value, to: &output.buffer)
        }
        output.buffer.append(UInt8(ascii: "}"))
    }

    /// - Throws: if a value is too long for a JSON object.
    static func checkJSON(_ byteCount: Int) throws {
        guard byteCount <= jsonValueByteLimit else {
            throw CommandError(
                .data,
                "write a value as JSON: it has \(byteCount) bytes, "
                    + "at most \(jsonValueByteLimit) fit; leave out --json")
        }
    }
}

extension EntryPrinter {
    /// Prints an entry that a scan lends.
    mutating func print(_ key: RawSpan, _ value: RawSpan) throws {
        var (keyBytes, valueBytes): ([UInt8], [UInt8]) = ([], [])
        keyBytes.append(key)
        if hasValues { valueBytes.append(value) }
        if form == .json {
            try appendObject(keyBytes, hasValues ? valueBytes : nil)
        } else {
            append(keyBytes)
            if hasValues {
                output.buffer.append(UInt8(ascii: "\t"))
                append(valueBytes)
            }
        }
        output.buffer.append(UInt8(ascii: "\n"))
        try output.passOn()
    }

    /// Prints only the value of a key, or with `json` the whole entry.
    ///
    /// - Returns: `false` if there is no such key.
    mutating func printValue(
        of key: [UInt8], in tree: Tree, of reader: borrowing some TreeReader & ~Copyable
    ) throws -> Bool {
        guard let count = try reader.valueByteCount(forKey: key, in: tree) else { return false }
        if form == .json {
            try Self.checkJSON(count)
            var value: [UInt8] = []
            _ = try reader.streamValue(forKey: key, in: tree) { value.append($0) }
            try appendObject(key, value)
        } else {
            _ = try reader.streamValue(forKey: key, in: tree) { span in
                var part: [UInt8] = []
                part.append(span)
                append(part)
                try output.passOn()
            }
        }
        output.buffer.append(UInt8(ascii: "\n"))
        return true
    }

    private func appendObject(_ key: [UInt8], _ value: [UInt8]?) throws {
        output.buffer.append(UInt8(ascii: "{"))
        JSONBytes.append("key", key, to: &output.buffer)
        if let value {
            try Self.checkJSON(value.count)
            output.buffer.append(UInt8(ascii: ","))
            JSONBytes.append("value", value, to: &output.buffer)
        }
        output.buffer.append(UInt8(ascii: "}"))
    }
}
