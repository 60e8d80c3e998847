import Foundation
import Synchronization

/// Threads that work together.
package enum ThreadTeam {
    /// Runs `body` in new threads, waits for all of them, and returns their results in order.
    ///
    /// - Throws: the error of one of them.
    package static func run<R: Sendable>(
        _ count: Int, _ body: @escaping @Sendable (Int) throws -> R
    ) throws -> [R] {
        let outcomes = Outcomes<R>()
        let group = DispatchGroup()
        for index in 0..<count {
            group.enter()
            let thread = Thread {
                outcomes.add(index, Result { try body(index) })
                group.leave()
            }
            thread.start()
        }
        group.wait()
        return try outcomes.all()
    }

    private final class Outcomes<R: Sendable>: Sendable {
        private let results = Mutex<[Int: Result<R, any Error>]>([:])

        func add(_ index: Int, _ result: Result<R, any Error>) {
            results.withLock { $0[index] = result }
        }

        func all() throws -> [R] {
            let results = results.withLock { $0 }
            return try results.sorted { $0.key < $1.key }.map { try $0.value.get() }
        }
    }
}
