internal import BullaMemory

/// How many pages one data key may seal, and how far ahead of use that is written down.
///
/// With random nonces of 96 bits the chance that two of 2^28 are alike is below 2^-41 (NIST SP
/// 800-38D allows 2^32 at 2^-32).
struct SealBudget {
    static let pagesPerEpoch: UInt64 = 1 << 28
    static let reservation: UInt64 = 1 << 20

    /// Which key epoch begins, if one does: the next, or a later one.
    var epoch: NewEpoch?

    enum NewEpoch {
        case next
        case at(UInt64)
    }

    /// Writes into a meta page's record what may be sealed before the next.
    func apply(to record: inout CommitRecord, former: CommitRecord, sealed: UInt64) {
        record.keyEpoch = former.keyEpoch
        record.sealedCount = max(former.sealedCount, sealed)
        record.reservedCount = former.reservedCount
        if let epoch {
            switch epoch {
            case .next: record.keyEpoch += 1
            case .at(let number): record.keyEpoch = max(number, record.keyEpoch)
            }
            record.sealedCount = 0
            record.reservedCount = 0
        }
        if record.sealedCount + Self.reservation / 2 > record.reservedCount {
            record.reservedCount = record.sealedCount + Self.reservation
        }
        invariant(record.sealedCount < record.reservedCount, "what may be sealed is written ahead")
        invariant(record.keyEpoch >= former.keyEpoch, "no key epoch begins before the one in use")
    }
}
