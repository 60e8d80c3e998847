import BullaTestSupport
import Foundation
import Synchronization

/// Threads that run one body, each with its number, and are waited for.
enum Crew {
    /// - Throws: the first error that any of them threw.
    static func run(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
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

/// Raised once, seen by all.
final class Flag: Sendable {
    private let word = Atomic<Bool>(false)
    func raise() { word.store(true, ordering: .releasing) }
    var isRaised: Bool { word.load(ordering: .acquiring) }
}
