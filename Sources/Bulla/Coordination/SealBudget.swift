internal import BullaMemory

/// How many pages one data key may seal, and how many a meta slot's record reserves ahead of use.
///
/// See <doc:Encryption> for the probability that two nonces under one key are equal.
struct SealBudget {
    static let pagesPerEpoch: UInt64 = 1 << 28
    static let reservation: UInt64 = 1 << 20

    /// The key epoch to begin, the next or a later one; `nil` to stay in the present epoch.
    var epoch: NewEpoch?

    enum NewEpoch {
        case next
        case at(UInt64)
    }

    /// Writes into a meta slot's record how many pages may be sealed before the next record.
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
