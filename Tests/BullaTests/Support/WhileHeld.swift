import Dispatch
import Foundation
import Testing

/// Runs `work` on another thread until it calls its argument, then runs `body` here, then lets
/// `work` go on to its end.
func whileHeld(
    _ work: @escaping @Sendable (_ hold: @escaping @Sendable () -> Void) throws -> Void,
    _ body: () throws -> Void
) throws {
    let (isHeld, mayEnd, hasEnded) = (
        DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    Thread.detachNewThread {
        do {
            try work {
                isHeld.signal()
                mayEnd.wait()
            }
        } catch {
            Issue.record(error)
            isHeld.signal()
        }
        hasEnded.signal()
    }
    isHeld.wait()
    defer {
        mayEnd.signal()
        hasEnded.wait()
    }
    try body()
}
