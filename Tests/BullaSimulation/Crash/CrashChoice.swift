internal import Bulla
internal import BullaTestSupport

/// Which unflushed events outlive a crash.
package enum CrashChoice: Sendable, CustomStringConvertible {
    /// Every process dies; the whole page cache outlives them, and may never reach the disk.
    case processDeath
    /// The power fails, and the disk has everything.
    case everything
    /// The power fails, and the disk has only what was flushed.
    case nothing
    /// Of the unflushed writes, the disk has only those to the preamble, where the meta slots are.
    case metaOnly
    /// Of the unflushed writes, the disk has all except those to the preamble.
    case pagesOnly
    /// The disk has the unflushed writes whose bits are set.
    case subset(UInt64)
    /// The disk has a random part of the unflushed events, with writes possibly torn and reordered.
    case sample(UInt64)

    package var description: String {
        switch self {
        case .processDeath: "process death"
        case .everything: "power cut, everything kept"
        case .nothing: "power cut, nothing kept"
        case .metaOnly: "power cut, only the preamble kept"
        case .pagesOnly: "power cut, only pages kept"
        case .subset(let bits): "power cut, subset \(String(bits, radix: 2))"
        case .sample(let seed): "power cut, sample \(seed)"
        }
    }
}

/// Decides which unflushed events a disk has.
struct CrashLottery {
    private let choice: CrashChoice
    private var random: TestRandom
    /// In how many of eight cases an event is kept, on average.
    private let eighths: Int
    /// The unit in which writes are torn; 0 if they are not torn.
    private let tearUnit: UInt64
    private let isShuffled: Bool

    init(_ choice: CrashChoice) {
        self.choice = choice
        var random = TestRandom(seed: 0)
        if case .sample(let seed) = choice { random = TestRandom(seed: seed) }
        eighths = random.pick([1, 4, 7])
        tearUnit = random.pick([0, 512, 4096])
        isShuffled = random.isOne(in: 2)
        self.random = random
    }

    private mutating func isKept() -> Bool { random.below(8) < eighths }

    /// Whether to keep a change of a file's length or of a name.
    mutating func keepsMetadata() -> Bool {
        switch choice {
        case .nothing: false
        case .sample: isKept()
        default: true
        }
    }

    /// Whether to keep a piece of a write that a failed flush covered.
    mutating func keepsDoubtful() -> Bool {
        switch choice {
        case .everything, .metaOnly, .pagesOnly, .processDeath: true
        case .nothing: false
        case .subset(let bits): bits & 1 != 0
        case .sample: isKept()
        }
    }

    /// The pieces of a write that the disk has.
    ///
    /// - Parameters:
    ///   - index: the number of the unflushed write.
    mutating func kept(
        _ index: Int, _ offset: UInt64, _ bytes: [UInt8]
    ) -> [DurableFile.Piece] {
        let whole = [DurableFile.Piece(offset: offset, bytes: bytes[...])]
        let isMeta = offset < UInt64(PageFormat.preambleByteCount)
        switch choice {
        case .everything, .processDeath: return whole
        case .nothing: return []
        case .metaOnly: return isMeta ? whole : []
        case .pagesOnly: return isMeta ? [] : whole
        case .subset(let bits): return bits >> UInt64(index) & 1 != 0 ? whole : []
        case .sample:
            guard tearUnit > 0 else { return isKept() ? whole : [] }
            return DurableFile.pieces(offset, bytes, unit: tearUnit).filter { _ in isKept() }
        }
    }

    /// The order in which the kept events reached the disk.
    mutating func ordered<T>(_ kept: [T]) -> [T] {
        isShuffled ? kept.shuffled(using: &random) : kept
    }
}
