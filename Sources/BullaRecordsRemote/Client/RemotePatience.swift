internal import BullaRecords
internal import Foundation

/// How often, and for how long, a failed request is tried again.
///
/// These attempts only bridge short failures: if a failure lasts longer, a program or its sync
/// engine tries again later.
package struct RemotePatience: Sendable {
    package typealias Pause = @Sendable (_ seconds: Double) -> Void

    /// The maximum number of attempts at one request.
    package var attemptLimit = 3
    /// The longest pause before an attempt, in seconds; if a service asks for a longer one, the
    /// request is not tried again.
    package var pauseLimit = 5.0
    private let pause: Pause

    package init(pause: @escaping Pause = { Thread.sleep(forTimeInterval: $0) }) {
        self.pause = pause
    }

    /// Runs `body` until it succeeds, or fails for good.
    ///
    /// - Parameter isWrite: whether the request may change data, so that the service must not carry
    ///   it out twice. Such a request is not repeated if the service may have carried out any part
    ///   of it.
    func trying<R>(
        isWrite: Bool, _ body: () throws(RecordError) -> R
    ) throws(RecordError) -> R {
        var attempt = 1
        while true {
            do throws(RecordError) { return try body() } catch {
                let wait = error.retryAfter ?? Double(attempt) / 4
                guard attempt < attemptLimit, wait <= pauseLimit,
                    isPassing(error.code, isWrite: isWrite)
                else { throw error }
                pause(wait)
                attempt += 1
            }
        }
    }

    private func isPassing(_ code: RecordError.Code, isWrite: Bool) -> Bool {
        switch code {
        case .unreachable, .throttled: true
        // A service that is busy may have carried out a part of the request, such as the first of
        // several zones.
        case .unavailable, .interrupted: !isWrite
        default: false
        }
    }
}
