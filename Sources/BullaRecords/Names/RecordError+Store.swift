internal import Bulla

extension RecordError {
    /// The record layer's error for a store's error.
    init(_ error: BullaError, _ attempt: String, _ code: Code) {
        guard code != .limitExceeded, code != .invalidArguments else {
            self.init(code, "\(attempt): \(error)")
            return
        }
        let isFull = error.code == .full
        self.init(
            code, "\(attempt): " + Self.reason(code, isFull: isFull),
            // Somebody has to make room on a full disk, and that takes more than a moment.
            retryAfter: code == .unavailable ? (isFull ? 60 : 1) : nil)
        detail = "\(error)"
    }

    private static func reason(_ code: Code, isFull: Bool) -> String {
        switch code {
        case .unavailable where isFull: "the store's disk is full"
        case .unavailable: "the store is busy, or its machine is at its limit"
        case .damaged: "the store's data is damaged"
        default: "the store failed"
        }
    }
}
