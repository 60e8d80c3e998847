internal import Bulla

/// Carries the error of a caller's closure past a scan, which itself throws only object errors.
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

    /// Throws the closure's error, if there is one.
    func rethrow() throws { if let error { throw error } }
}
