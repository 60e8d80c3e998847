/// The generated records that all peers hold.
struct Records {
    private(set) var keys = ByteRun()
    private(set) var values = ByteRun()

    init(count: Int, valueByteCount: Int, seed: UInt64) {
        var random = Random(seed, 0x5EED)
        keys.reserve(count: count, byteCount: count * YCSBKey.byteCount)
        values.reserve(count: count, byteCount: count * valueByteCount)
        for number in 0..<UInt64(count) {
            keys.append { YCSBKey.append(number, to: &$0) }
            values.append { YCSBValue.append(valueByteCount, &random, to: &$0) }
        }
    }

    var count: Int { keys.count }

    /// The keys of `count` records drawn uniformly, laid out one behind the other.
    func draw(_ count: Int, _ random: inout Random) -> ByteRun {
        var drawn = ByteRun()
        for _ in 0..<count { keys.withBytes(random.below(keys.count)) { drawn.append($0) } }
        return drawn
    }
}
