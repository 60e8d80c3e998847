/// The rules for names.
package enum NameRules {
    package static let recordNameByteLimit = 255
    package static let zoneNameByteLimit = 255
    package static let typeNameByteLimit = 255
    package static let fieldNameByteLimit = 255
    package static let accountNameByteLimit = 255

    /// Whether a text is a valid record name: 1 to 255 visible ASCII characters, not beginning with
    /// an underscore.
    package static func isRecordName(_ name: String) -> Bool {
        isVisible(name, limit: recordNameByteLimit) && name.utf8.first != underscore
    }

    /// Whether a text is a valid name for a user's zone.
    package static func isZoneName(_ name: String) -> Bool {
        isVisible(name, limit: zoneNameByteLimit) && name.utf8.first != underscore
    }

    /// Whether a text is a valid name for a user's record type: a letter, then letters, digits and
    /// underscores.
    package static func isTypeName(_ name: String) -> Bool {
        isWord(name, limit: typeNameByteLimit)
    }

    /// Whether a text is a valid name for a user's field, by the same rules as for types.
    package static func isFieldName(_ name: String) -> Bool {
        isWord(name, limit: fieldNameByteLimit)
    }

    /// Whether a text is a valid name for an account, a program or a server: 1 to 255 bytes of
    /// UTF-8, without white space, control characters and format characters.
    package static func isAccountName(_ name: String) -> Bool {
        (1...accountNameByteLimit).contains(name.utf8.count)
            && name.unicodeScalars.allSatisfy { scalar in
                !scalar.properties.isWhitespace && scalar.properties.generalCategory != .control
                    && scalar.properties.generalCategory != .format
            }
    }

    private static let underscore = UInt8(ascii: "_")

    private static func isVisible(_ name: String, limit: Int) -> Bool {
        (1...limit).contains(name.utf8.count) && name.utf8.allSatisfy { (33...126).contains($0) }
    }

    private static func isWord(_ name: String, limit: Int) -> Bool {
        guard (1...limit).contains(name.utf8.count), let first = name.utf8.first else {
            return false
        }
        return isLetter(first)
            && name.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == underscore }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
