internal import Synchronization

/// Limits how many bytes of requests are in memory at once, or how many files are in transit.
final class FlightBudget: Sendable {
    private let limit: Int
    private let used = Mutex(0)

    init(_ limit: Int) { self.limit = limit }

    var usedByteCount: Int { used.withLock { $0 } }

    /// Reserves a number of bytes, or of files.
    ///
    /// - Returns: `false` if too few are left.
    func take(_ byteCount: Int) -> Bool {
        used.withLock { used in
            guard byteCount <= limit - used else { return false }
            used += byteCount
            return true
        }
    }

    func give(_ byteCount: Int) { used.withLock { $0 -= byteCount } }
}
