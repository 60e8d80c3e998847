/// One line of a trace: an operation, by its key's own bytes.
package struct TraceLine: Sendable, Equatable {
    package enum Verb: String, CaseIterable, Sendable {
        case read, put, update, scan, delete

        /// Whether a number follows the key: the bytes of a value, or the records of a scan.
        var hasNumber: Bool { self == .put || self == .update || self == .scan }
    }

    package static let keyByteLimit = 1 << 10
    package static let numberLimit = 64 << 20

    package var verb: Verb
    package var key: [UInt8]
    /// Bytes of the value that is put, or the most records of a scan; 0 for the others.
    package var number: Int

    package init(_ verb: Verb, _ key: [UInt8], _ number: Int = 0) {
        self.verb = verb
        self.key = key
        self.number = number
    }

    /// What a line says; nil where it is none.
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

    /// The line, without its end.
    package var text: String {
        let key = Self.text(ofKey: key)
        return verb.hasNumber ? "\(verb.rawValue) \(key) \(number)" : "\(verb.rawValue) \(key)"
    }

    /// Bytes other than visible ASCII letters, and the percent sign, are written as `%` and two
    /// hexadecimal digits.
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
            guard let decoded = Hex.bytes(from: String(Substring(rest.prefix(2)))),
                decoded.count == 1
            else { return nil }
            key += decoded
            rest = rest.dropFirst(2)
        }
        return (1...keyByteLimit).contains(key.count) ? key : nil
    }
}
