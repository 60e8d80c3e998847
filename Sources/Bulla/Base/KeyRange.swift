internal import BullaMemory

/// The range of keys that a scan visits or a deletion removes, bounded by bytes.
///
/// The bounds are copies on the ordinary heap that belong to the caller: closing a store does not
/// wipe them.
public struct KeyRange: Sendable, Hashable {
    /// The lower bound, included; empty if there is none.
    let lower: [UInt8]
    /// The upper bound; `nil` if there is none.
    let upper: [UInt8]?
    let includesUpper: Bool

    private init(lower: [UInt8] = [], upper: [UInt8]? = nil, includesUpper: Bool = false) {
        self.lower = lower
        self.upper = upper
        self.includesUpper = includesUpper
    }

    /// Every key.
    public static let all = KeyRange()

    /// Every key that begins with `prefix`.
    public static func prefix(_ prefix: some ByteSource) -> KeyRange {
        let bytes = copy(prefix)
        // The smallest bound above every key with the prefix: cut the prefix after its last byte
        // below 0xFF, and raise that byte by 1.
        guard let last = bytes.lastIndex(where: { $0 != 0xFF }) else {
            return KeyRange(lower: bytes)
        }
        var end = Array(bytes[...last])
        end[last] += 1
        return KeyRange(lower: bytes, upper: end)
    }

    /// Every key from `lower` on, including `lower` itself.
    public static func from(_ lower: some ByteSource) -> KeyRange { KeyRange(lower: copy(lower)) }

    /// Every key below `upper`.
    public static func upTo(_ upper: some ByteSource) -> KeyRange { KeyRange(upper: copy(upper)) }

    /// Every key up to `upper`, including `upper` itself.
    public static func through(_ upper: some ByteSource) -> KeyRange {
        KeyRange(upper: copy(upper), includesUpper: true)
    }

    /// Every key from `lower`, included, to `upper`, excluded.
    public static func from(_ lower: some ByteSource, upTo upper: some ByteSource) -> KeyRange {
        KeyRange(lower: copy(lower), upper: copy(upper))
    }

    /// Every key from `lower` to `upper`, both included.
    public static func from(_ lower: some ByteSource, through upper: some ByteSource) -> KeyRange {
        KeyRange(lower: copy(lower), upper: copy(upper), includesUpper: true)
    }

    /// Whether a key lies within the upper bound.
    func reaches(_ key: ByteView) -> Bool {
        guard let upper else { return true }
        let order = upper.withView { key.compare($0) }
        return order < 0 || order == 0 && includesUpper
    }

    private static func copy(_ source: some ByteSource) -> [UInt8] {
        source.withBytes { span in span.withView { $0.copied() } }
    }
}
