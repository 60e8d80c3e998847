/// What the values of generated records are made of.
package enum ValueKind: Sendable, Equatable, CustomStringConvertible {
    /// The same for all records.
    case fixed
    /// YCSB's: random printable bytes.
    case random
    /// A share of random bytes, again and again: a compressor can leave about that share.
    case compressible(share: Double)

    /// As `fixed`, `random` or `compressible:0.5`; nil for anything else.
    package init?(_ text: String) {
        switch text {
        case "fixed": self = .fixed
        case "random": self = .random
        default:
            let parts = text.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0] == "compressible", let share = Double(parts[1]),
                share > 0, share <= 1
            else { return nil }
            self = .compressible(share: share)
        }
    }

    package var description: String {
        switch self {
        case .fixed: "fixed"
        case .random: "random"
        case .compressible(let share): "compressible:\(share)"
        }
    }

    /// Appends a value of `count` bytes.
    package func append(_ count: Int, _ random: inout Random, to bytes: inout [UInt8]) {
        switch self {
        case .fixed: FixedValue.append(count, to: &bytes)
        case .random: YCSBValue.append(count, &random, to: &bytes)
        case .compressible(let share):
            CompressibleValue(randomShare: share).append(count, &random, to: &bytes)
        }
    }
}
