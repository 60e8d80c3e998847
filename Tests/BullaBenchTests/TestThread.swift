import Foundation

/// A thread that runs one thing and ends.
enum TestThread {
    static func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { waiting in
            Thread.detachNewThread { waiting.resume(with: Result { try body() }) }
        }
    }
}
