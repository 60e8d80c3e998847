import Bulla
import BullaSimulation
import BullaTestSupport

/// The ways in which a meta slot can be damaged.
enum SlotLoss: CaseIterable {
    /// One bit differs.
    case flipped
    /// The slot is all zeros, as if the disk had never got it.
    case zeroed
    /// The slot has random bytes.
    case scrambled
}

extension DiskImage {
    /// Makes a meta slot unreadable.
    mutating func lose(slot: Int, _ loss: SlotLoss, _ random: inout TestRandom) {
        let start = Int(MetaPage.offset(slot: slot))
        let range = start..<start + MetaField.byteCount
        let (bit, noise) = (random.below(range.count * 8), random.uniqueBytes(range.count))
        change { bytes in
            switch loss {
            case .flipped: bytes[start + bit / 8] ^= 1 << UInt8(bit % 8)
            case .zeroed: for index in range { bytes[index] = 0 }
            case .scrambled: bytes.replaceSubrange(range, with: noise)
            }
        }
    }
}
