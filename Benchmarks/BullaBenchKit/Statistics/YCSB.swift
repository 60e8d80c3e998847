/// The hash with which YCSB scatters its keys.
///
/// - Source: YCSB 0.17, `Utils.fnvhash64`: the magnitude of FNV-1a over 8 bytes, lowest first.
package enum YCSBHash {
    package static func hash(_ number: UInt64) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            hash ^= (number >> shift) & 0xFF
            hash &*= 1_099_511_628_211
        }
        return Int64(bitPattern: hash).magnitude
    }
}

/// The key of a generated record: `user` and the 19 digits of its hashed number.
///
/// Because of the hash, records that are inserted by ascending number have their keys in random
/// order, as in YCSB (`insertorder=hashed`, `zeropadding=19`).
package enum YCSBKey {
    package static let byteCount = 23

    package static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: "user".utf8)
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: 19))
        var rest = YCSBHash.hash(number)
        for place in (start..<start + 19).reversed() {
            bytes[place] += UInt8(rest % 10)
            rest /= 10
        }
    }
}

/// The value of a generated record: bytes from space to `_`, all equally likely.
///
/// - Source: YCSB 0.17, `RandomByteIterator`; there, not all characters are equally likely.
package enum YCSBValue {
    package static func append(_ count: Int, _ random: inout Random, to bytes: inout [UInt8]) {
        var bits: UInt64 = 0
        for index in 0..<count {
            if index % 10 == 0 { bits = random.next() }
            bytes.append(UInt8(ascii: " ") + UInt8(bits & 63))
            bits >>= 6
        }
    }
}

/// The number of records that a scan reads: 1 to 100, each equally likely.
///
/// - Source: YCSB 0.17, `workloads/workloade`: `maxscanlength=100`,
///   `scanlengthdistribution=uniform`; the minimum is 1.
package enum ScanLength {
    package static let limit = 100

    package static func next(_ random: inout Random) -> Int { 1 + random.below(limit) }
}

/// What the values of generated records are made of.
package enum ValueKind: Sendable, Equatable, LosslessStringConvertible {
    /// The same bytes in every value, to show what an engine gains by compression.
    case fixed
    case random
    /// A share of the value is random, and the rest repeats that share.
    ///
    /// A compressor that finds repeats, such as lz4, shrinks the value to about this share. No
    /// compressor can do better, because the random bytes have all 256 values.
    case compressible(share: Double)

    /// Parses `fixed`, `random` or `compressible:0.5`; nil for anything else.
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
        case .fixed: bytes += (0..<count).map { UInt8(ascii: "a") + UInt8($0 % 26) }
        case .random: YCSBValue.append(count, &random, to: &bytes)
        case .compressible(let share):
            for start in stride(from: 0, to: count, by: Self.pieceByteCount) {
                let piece = min(Self.pieceByteCount, count - start)
                Self.appendPiece(piece, randomShare: share, &random, to: &bytes)
            }
        }
    }

    /// A value repeats itself within this distance, which is short enough for every compressor to
    /// find the repeats, and long enough that the references to them take almost no space.
    private static let pieceByteCount = 1_024

    private static func appendPiece(
        _ count: Int, randomShare: Double, _ random: inout Random, to bytes: inout [UInt8]
    ) {
        let randomCount = max(1, Int((Double(count) * randomShare).rounded()))
        let start = bytes.count
        var bits: UInt64 = 0
        for index in 0..<randomCount {
            if index % 8 == 0 { bits = random.next() }
            bytes.append(UInt8(truncatingIfNeeded: bits))
            bits >>= 8
        }
        for index in 0..<count - randomCount { bytes.append(bytes[start + index]) }
    }
}
