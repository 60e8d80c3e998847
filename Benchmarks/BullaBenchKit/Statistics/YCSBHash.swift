/// The hash that YCSB scatters its keys with.
///
/// - Source: YCSB 0.17, `Utils.fnvhash64`: FNV-1a over the eight bytes, lowest first, made
///   positive.
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
