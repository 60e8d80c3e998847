/// The name of a tree: any bytes, which usually are text.
///
/// A name holds the exact bytes, so each name that `treeNames()` returns opens its tree. Use
/// ``description`` to show a name: no two names have the same description.
public struct TreeName: Sendable, Hashable, Comparable, ByteSource, CustomStringConvertible,
    ExpressibleByStringLiteral
{
    /// The bytes of the name.
    public let bytes: [UInt8]

    /// Makes a name of the text's UTF-8 bytes.
    public init(_ text: some StringProtocol) { bytes = Array(text.utf8) }

    /// Makes a name of these bytes.
    public init(bytes: [UInt8]) { self.bytes = bytes }

    /// Makes the name whose ``description`` is this text; `nil` if a backslash in it begins no
    /// valid escape.
    public init?(escaped text: some StringProtocol) {
        guard let bytes = EscapedText.bytes(Array(text.utf8)[...]) else { return nil }
        self.bytes = bytes
    }

    /// Makes a name of the text's UTF-8 bytes.
    public init(stringLiteral text: String) { bytes = Array(text.utf8) }

    /// The name as text; `nil` if the bytes are not UTF-8.
    public var text: String? { String(validating: bytes, as: UTF8.self) }

    /// The name on one line, in which backslashes, unprintable characters and bytes that are not
    /// UTF-8 are escaped as `\\`, `\t`, `\n`, `\r` or `\xNN`.
    public var description: String { EscapedText.line(bytes) }

    /// Lends the name's bytes in place.
    public func withBytes<R: ~Copyable, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try bytes.withBytes(body)
    }

    /// Whether the left name sorts before the right one, by bytes, as a tree sorts its keys.
    public static func < (left: TreeName, right: TreeName) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
