internal import Synchronization

/// So many bytes of requests and answers, and no more, are in memory at once.
final class FlightBudget: Sendable {
    private let limit: Int
    private let used = Mutex(0)

    init(_ limit: Int) { self.limit = limit }

    var usedByteCount: Int { used.withLock { $0 } }

    /// Takes room for bytes.
    ///
    /// - Returns: `false` where there is none.
    func take(_ byteCount: Int) -> Bool {
        used.withLock { used in
            guard byteCount <= limit - used else { return false }
            used += byteCount
            return true
        }
    }

    func give(_ byteCount: Int) { used.withLock { $0 -= byteCount } }
}
