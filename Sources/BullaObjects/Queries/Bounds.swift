package import Bulla

/// A range of keys: from the first byte string up to, and not including, the second.
package struct Bounds: Sendable, Hashable {
    package let lower: [UInt8]
    /// The upper bound; nil if there is none.
    package let upper: [UInt8]?

    package init(from lower: [UInt8], upTo upper: [UInt8]?) {
        (self.lower, self.upper) = (lower, upper)
    }

    /// All keys with this prefix.
    package init(prefix: [UInt8]) { self.init(from: prefix, upTo: Self.after(prefix)) }

    package static let all = Bounds(from: [], upTo: nil)
    package static let none = Bounds(from: [], upTo: [])

    package var range: KeyRange {
        if let upper { .from(lower, upTo: upper) } else { .from(lower) }
    }

    /// Whether no key lies in the range.
    package var isEmpty: Bool { upper.map { !lower.lexicographicallyPrecedes($0) } ?? false }

    /// The first byte string that sorts after all keys with this prefix; nil if there is none.
    package static func after(_ prefix: [UInt8]) -> [UInt8]? {
        guard let last = prefix.lastIndex(where: { $0 != 0xFF }) else { return nil }
        var end = Array(prefix[...last])
        end[last] += 1
        return end
    }
}
