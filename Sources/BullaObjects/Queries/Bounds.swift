package import Bulla

/// A stretch of keys: from the first byte string on, and up to the second, which is outside.
package struct Bounds: Sendable, Hashable {
    package let lower: [UInt8]
    /// None: to the last key.
    package let upper: [UInt8]?

    package init(from lower: [UInt8], upTo upper: [UInt8]?) {
        (self.lower, self.upper) = (lower, upper)
    }

    /// All keys that begin so.
    package init(prefix: [UInt8]) { self.init(from: prefix, upTo: Self.after(prefix)) }

    package static let all = Bounds(from: [], upTo: nil)
    package static let none = Bounds(from: [], upTo: [])

    package var range: KeyRange {
        if let upper { .from(lower, upTo: upper) } else { .from(lower) }
    }

    /// Whether no key lies in it.
    package var isEmpty: Bool { upper.map { !lower.lexicographicallyPrecedes($0) } ?? false }

    /// The least bytes that lie beyond all that begin so; none where nothing does.
    package static func after(_ prefix: [UInt8]) -> [UInt8]? {
        guard let last = prefix.lastIndex(where: { $0 != 0xFF }) else { return nil }
        var end = Array(prefix[...last])
        end[last] += 1
        return end
    }
}
