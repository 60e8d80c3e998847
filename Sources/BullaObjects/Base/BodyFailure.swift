internal import Bulla

/// Carries what a caller's closure throws out of a scan, which itself throws object errors alone.
struct BodyFailure {
    private var error: (any Error)?

    /// Returns what `body` returns, or stops the scan if `body` throws.
    mutating func step(_ body: () throws -> ScanStep) -> ScanStep {
        do {
            return try body()
        } catch {
            self.error = error
            return .stop
        }
    }

    /// Throws what a closure has thrown.
    func rethrow() throws { if let error { throw error } }
}
