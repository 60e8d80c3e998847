internal import Bulla

/// The range of a scan's keys: from `lower` up to, but not including, `upper`.
struct KeyBounds: Sendable {
    private(set) var lower: [UInt8] = []
    private(set) var upper: [UInt8]?

    /// The keys that meet all given conditions.
    init(prefix: [UInt8]? = nil, from: [UInt8]? = nil, to: [UInt8]? = nil) {
        for bound in [prefix, from] {
            if let bound, lower.lexicographicallyPrecedes(bound) { lower = bound }
        }
        for bound in [prefix.flatMap(Self.end), to] {
            if let bound, upper.map({ bound.lexicographicallyPrecedes($0) }) ?? true {
                upper = bound
            }
        }
    }

    /// The lowest key above all keys with this prefix; `nil` if no key is above them.
    private static func end(ofPrefix prefix: [UInt8]) -> [UInt8]? {
        guard let last = prefix.lastIndex(where: { $0 < 0xFF }) else { return nil }
        return Array(prefix[..<last]) + [prefix[last] + 1]
    }

    /// Whether the range contains every key.
    var isAll: Bool { lower.isEmpty && upper == nil }

    /// The range in the engine's type.
    var range: KeyRange {
        guard let upper else { return lower.isEmpty ? .all : .from(lower) }
        return lower.isEmpty ? .upTo(upper) : .from(lower, upTo: upper)
    }

    func isBelowUpper(_ key: [UInt8]) -> Bool {
        upper.map { key.lexicographicallyPrecedes($0) } ?? true
    }

    func isFromLower(_ key: [UInt8]) -> Bool { !key.lexicographicallyPrecedes(lower) }
}
