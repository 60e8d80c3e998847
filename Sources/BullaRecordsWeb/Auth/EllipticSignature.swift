/// The two numbers of an ECDSA signature over P-256, in DER.
///
/// - Source: RFC 3279, section 2.2.3; ITU-T X.690, sections 8.3 and 10.1.
enum EllipticSignature {
    private static let sequence: UInt8 = 0x30
    private static let integer: UInt8 = 0x02
    /// The greatest length of each number in DER: 32 bytes, preceded by a zero byte if their
    /// highest bit is set.
    private static let byteLimit = 33

    /// The first number; `nil` unless the bytes are two numbers, each in its canonical form.
    static func first(ofDER bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count >= 2, bytes[0] == sequence, bytes[1] < 0x80,
            Int(bytes[1]) == bytes.count - 2
        else { return nil }
        var rest = bytes[2...]
        guard let first = next(&rest), next(&rest) != nil, rest.isEmpty else { return nil }
        return first
    }

    private static func next(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard rest.popFirst() == integer, let count = rest.popFirst(),
            (1...byteLimit).contains(Int(count)), rest.count >= Int(count)
        else { return nil }
        let number = Array(rest.prefix(Int(count)))
        rest.removeFirst(Int(count))
        // The number must not be negative, nor begin with a zero byte that it does not need.
        guard number[0] < 0x80, number.count == 1 || number[0] != 0 || number[1] >= 0x80 else {
            return nil
        }
        return number
    }
}
