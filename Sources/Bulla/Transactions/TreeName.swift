/// The name of a tree: bytes, which mostly are a text.
///
/// A name may be any bytes. So a list of names has them as they are, each of which opens its tree;
/// ``description`` is for eyes, and tells any two names apart.
public struct TreeName: Sendable, Hashable, Comparable, ByteSource, CustomStringConvertible,
    ExpressibleByStringLiteral
{
    /// The bytes of the name.
    public let bytes: [UInt8]

    /// A name of these bytes.
    public init(bytes: [UInt8]) { self.bytes = bytes }

    /// The name that a text in the form of ``description`` stands for; `nil` where a backslash in
    /// it begins no escape.
    public init?(escaped text: some StringProtocol) {
        guard let bytes = EscapedText.bytes(Array(text.utf8)[...]) else { return nil }
        self.bytes = bytes
    }

    /// The name whose UTF-8 bytes these are.
    public init(stringLiteral text: String) { bytes = Array(text.utf8) }

    /// The name as a text; `nil` where it is not UTF-8.
    public var text: String? { String(validating: bytes, as: UTF8.self) }

    /// The name on one line: a backslash, and what is not printable or not UTF-8, is escaped as
    /// `\\`, `\t`, `\n`, `\r` or `\xNN`.
    public var description: String { EscapedText.line(bytes) }

    /// Lends the name's bytes in place.
    public func withBytes<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try bytes.withBytes(body)
    }

    /// Names are ordered by their bytes, as trees are.
    public static func < (left: TreeName, right: TreeName) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
