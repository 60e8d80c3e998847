internal import Foundation
internal import Synchronization

/// Threads that run one body, each with its number; the caller waits for them.
package enum Crew {
    /// - Throws: the first error of any thread.
    package static func run(
        _ count: Int, _ body: @escaping @Sendable (Int) throws -> Void
    ) throws {
        let failure = Failure()
        let group = DispatchGroup()
        for index in 0..<count {
            group.enter()
            Thread.detachNewThread {
                do { try body(index) } catch { failure.note(error) }
                group.leave()
            }
        }
        group.wait()
        try failure.rethrow()
    }

    private final class Failure: Sendable {
        private let first = Mutex<(any Error)?>(nil)

        func note(_ error: any Error) { first.withLock { if $0 == nil { $0 = error } } }

        func rethrow() throws { if let error = first.withLock({ $0 }) { throw error } }
    }
}
