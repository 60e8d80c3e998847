internal import Bulla

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

    /// Prints the value of a key alone, or with `json` the whole entry.
    ///
    /// - Returns: `false` where there is no such key.
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
