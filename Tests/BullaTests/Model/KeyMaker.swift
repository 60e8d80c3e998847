import Bulla
import BullaTestSupport

/// Makes keys such as occur in practice, and difficult ones: keys with long common beginnings, keys
/// that are prefixes of other keys, keys of one byte, keys of the greatest length, and keys of all
/// zeros or all ones.
struct KeyMaker {
    let byteLimit: Int
    /// How many different keys of the usual form there are.
    let variety: Int
    private let prefixes: [[UInt8]]

    init(byteLimit: Int, variety: Int, _ random: inout TestRandom) {
        self.byteLimit = byteLimit
        self.variety = variety
        prefixes = (0..<6).map { _ in random.bytes(random.below(40)) } + [[], [0, 0], [0xFF]]
    }

    mutating func key(_ model: SortedModel, _ random: inout TestRandom) -> [UInt8] {
        let key =
            switch random.below(20) {
            case 0..<8: usual(&random)
            case 8..<10: short(&random)
            case 10..<12: chained(&random)
            case 12: longest(&random)
            case 13: random.bytes(1 + random.below(60))
            default: near(model, &random)
            }
        return key.isEmpty ? [0] : Array(key.prefix(byteLimit))
    }

    private func usual(_ random: inout TestRandom) -> [UInt8] {
        let number = random.below(variety)
        return random.pick(prefixes) + Array("\(number)".utf8)
    }

    private func short(_ random: inout TestRandom) -> [UInt8] {
        let alphabet: [UInt8] = [0, 1, 0x61, 0x62, 0xFE, 0xFF]
        return (0...random.below(3)).map { _ in random.pick(alphabet) }
    }

    /// One of a chain in which each key begins with the previous one.
    private func chained(_ random: inout TestRandom) -> [UInt8] {
        let byte = random.pick([0, 0x70, 0xFF] as [UInt8])
        let count = random.isOne(in: 10) ? byteLimit - random.below(9) : 1 + random.below(60)
        return [UInt8](repeating: byte, count: count)
    }

    /// A key of the greatest length, which differs from others of its kind only in the last bytes.
    private func longest(_ random: inout TestRandom) -> [UInt8] {
        [UInt8](repeating: 0x6C, count: byteLimit - 2) + random.bytes(1)
            + [UInt8(random.below(4))]
    }

    /// An existing key, or a neighbour of one.
    private func near(_ model: SortedModel, _ random: inout TestRandom) -> [UInt8] {
        guard let key = model.anyEntry(&random)?.key else { return usual(&random) }
        switch random.below(10) {
        case 0: return key + [0]
        case 1: return key + [0xFF]
        case 2: return Array(key.dropLast())
        case 3: return key.dropLast() + [(key.last ?? 0) &+ 1]
        default: return key
        }
    }

    // MARK: Ranges

    mutating func range(_ model: SortedModel, _ random: inout TestRandom) -> ModelRange {
        switch random.below(10) {
        case 0: return .all
        case 1: return ModelRange(lower: key(model, &random))
        case 2: return ModelRange(upper: key(model, &random), includesUpper: random.isOne(in: 2))
        case 3, 4: return ModelRange(prefix: prefix(model, &random))
        case 5: return ModelRange(lower: key(model, &random), upper: key(model, &random))
        default: return narrow(model, &random)
        }
    }

    private mutating func prefix(_ model: SortedModel, _ random: inout TestRandom) -> [UInt8] {
        let key = key(model, &random)
        return Array(key.prefix(random.below(key.count + 1)))
    }

    /// A range of a few entries.
    mutating func narrow(_ model: SortedModel, _ random: inout TestRandom) -> ModelRange {
        let lower = key(model, &random)
        let width = random.isOne(in: 8) ? random.below(400) : random.below(12)
        var (position, _) = model.find(lower)
        for _ in 0..<width where position < model.end { position = model.position(after: position) }
        guard position < model.end else { return ModelRange(lower: lower) }
        return ModelRange(
            lower: lower, upper: model.entry(position).key, includesUpper: random.isOne(in: 2))
    }
}
