import Bulla
import BullaTestSupport

/// Makes values of every length at which something changes: no bytes, a few, as many as just fit
/// into a leaf, a few more than fit, and several pages.
struct ValueMaker {
    let format: PageFormat

    func value(forKey key: [UInt8], _ random: inout TestRandom) -> [UInt8] {
        random.bytes(byteCount(forKey: key, &random))
    }

    private func byteCount(forKey key: [UInt8], _ random: inout TestRandom) -> Int {
        switch random.below(100) {
        case 0..<8: 0
        case 8..<65: random.below(100)
        case 65..<72: 8
        case 72..<80: 40  // As long as what stands for a large value.
        case 80..<90: 100 + random.below(400)
        case 90..<97: max(0, inlineLimit(forKey: key) - 2 + random.below(5))
        default: large(&random)
        }
    }

    /// The length of the longest value for which a leaf has room besides a slot, the value word and
    /// this key.
    func inlineLimit(forKey key: [UInt8]) -> Int { format.cellByteLimit - 8 - 4 - key.count }

    private func large(_ random: inout TestRandom) -> Int {
        // Sometimes use more pages than one index page names.
        let most = random.isOne(in: 100) ? 180 : random.isOne(in: 8) ? 70 : 4
        let pages = 1 + random.below(most)
        return min(pages, (1 << 20) / format.contentByteCount) * format.contentByteCount
            - 1 + random.below(3)
    }

    /// A value to be written in parts.
    func parts(_ random: inout TestRandom) -> [[UInt8]] {
        let unit = random.pick([1, 100, 4096, format.contentByteCount, 70_000])
        return (0..<random.below(6)).map { _ in random.bytes(random.below(unit + 1)) }
    }
}
