/// A trace: operations as lines of text, which `record` writes and the workload `replay` executes.
///
///     # bulla-bench trace 1
///     read user6284781860667377211
///     put user8517097267634966620 1000
///     update user1820151046732198393 1000
///     scan user5325561898238113214 47
///     delete a%20key%0Awith%20blanks
///
/// In a key, a percent sign, and any byte that is not a visible ASCII character, are written as `%`
/// and two hexadecimal digits. The number after a key is the length of the value in bytes, or the
/// maximum number of records that a scan reads. Empty lines, and lines that begin with `#`, are
/// ignored. A trace has no values: a replay makes them up.
package enum TraceFile {
    package static let heading = "# bulla-bench trace 1"
    private static let byteLimit = 2 << 30

    /// The lines of a trace.
    ///
    /// - Throws: `Failure` if the file cannot be read, has an invalid line (the message gives its
    ///   number), or has no operations.
    package static func lines<Failure: SystemFailure>(
        of file: FileDescriptor<Failure>
    ) throws -> [TraceLine] {
        let path = file.name
        let bytes = try file.readToEnd(limit: byteLimit, of: path)
        let text = String(decoding: bytes, as: UTF8.self)
        var lines: [TraceLine] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            guard index > 0 else {
                guard line == heading else {
                    throw Failure(input: "read \(path): its first line is not \"\(heading)\"")
                }
                continue
            }
            guard !line.isEmpty, line.first != "#" else { continue }
            guard let parsed = TraceLine(line) else {
                throw Failure(input: "read \(path): line \(index + 1) is no operation")
            }
            lines.append(parsed)
        }
        guard !lines.isEmpty else { throw Failure(input: "read \(path): it has no operations") }
        return lines
    }
}

/// One line of a trace: an operation, with the bytes of its key.
package struct TraceLine: Sendable, Equatable {
    package enum Verb: String, CaseIterable, Sendable {
        case read, put, update, scan, delete

        /// Whether a number follows the key: a value's length, or the limit on a scan's records.
        var hasNumber: Bool { self == .put || self == .update || self == .scan }
    }

    package static let keyByteLimit = 1 << 10
    package static let numberLimit = 64 << 20

    package var verb: Verb
    package var key: [UInt8]
    /// The length of the value in bytes, or the maximum number of records that a scan reads; 0 for
    /// other operations.
    package var number: Int

    package init(_ verb: Verb, _ key: [UInt8], _ number: Int = 0) {
        self.verb = verb
        self.key = key
        self.number = number
    }

    /// Parses a line; nil if it is invalid.
    package init?(_ text: Substring) {
        let words = text.split(separator: " ", omittingEmptySubsequences: true)
        guard let verb = words.first.flatMap({ Verb(rawValue: String($0)) }),
            words.count == (verb.hasNumber ? 3 : 2), let key = Self.key(words[1])
        else { return nil }
        guard verb.hasNumber else { self.init(verb, key); return }
        guard let number = Int(words[2]),
            ((verb == .scan ? 1 : 0)...Self.numberLimit).contains(number)
        else { return nil }
        self.init(verb, key, number)
    }

    /// The line, without a line break.
    package var text: String {
        let key = Self.text(ofKey: key)
        return verb.hasNumber ? "\(verb.rawValue) \(key) \(number)" : "\(verb.rawValue) \(key)"
    }

    /// The text of a key, in which `%` and two hexadecimal digits stand for each byte that is a
    /// percent sign or not a visible ASCII character.
    private static func text(ofKey key: [UInt8]) -> String {
        var text = ""
        for byte in key {
            let isPlain = (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "%")
            text += isPlain ? String(UnicodeScalar(byte)) : "%" + Hex.string([byte])
        }
        return text
    }

    private static func key(_ word: Substring) -> [UInt8]? {
        var key: [UInt8] = []
        var rest = word.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else { key.append(byte); continue }
            guard let decoded = Hex.bytes(rest.prefix(2)),
                decoded.count == 1
            else { return nil }
            key += decoded
            rest = rest.dropFirst(2)
        }
        return (1...keyByteLimit).contains(key.count) ? key : nil
    }
}
