/// The boundary of a form's parts, as given in its `Content-Type`.
///
/// - Source: RFC 2046, section 5.1.1.
package struct FormBoundary: Hashable {
    /// The bytes before each part, beginning with a line break.
    package let delimiter: [UInt8]

    private static let signs = Set("'()+_,-./:=? ".utf8)

    /// - Returns: `nil` if the text is not a valid boundary.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard (1...70).contains(bytes.count), bytes.last != UInt8(ascii: " "),
            bytes.allSatisfy({ byte in
                byte.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || Self.signs.contains(byte)
            })
        else { return nil }
        delimiter = Array("\r\n--".utf8) + bytes
    }
}
