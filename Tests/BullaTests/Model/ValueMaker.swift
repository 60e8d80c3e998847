import Bulla
import BullaTestSupport

/// Values of every length at which something changes: none, a few, just fitting a leaf, just not
/// fitting, and several pages.
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

    /// The longest value that fits into a leaf with this key: slot, value word, key, value.
    func inlineLimit(forKey key: [UInt8]) -> Int { format.cellByteLimit - 8 - 4 - key.count }

    private func large(_ random: inout TestRandom) -> Int {
        // Sometimes more than an index page names.
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
