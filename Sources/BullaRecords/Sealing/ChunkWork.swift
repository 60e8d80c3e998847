internal import Dispatch
internal import Synchronization

extension [[UInt8]] {
    /// Works on every array, each where it stands, on as many threads as the system gives.
    ///
    /// - Returns: what `body` returns, in the order of the arrays.
    /// - Throws: what `body` throws for the first array for which it throws; all were worked on.
    mutating func workOnEach<R: Sendable, E: Error>(
        _ body: @Sendable (_ place: Int, inout [UInt8]) throws(E) -> R
    ) throws(E) -> [R] {
        let works = map { ChunkWork<R, E>($0) }
        // Each has to be the only owner of its array, or would copy it.
        self = []
        DispatchQueue.concurrentPerform(iterations: works.count) { place in
            works[place].run { bytes throws(E) in try body(place, &bytes) }
        }
        self = works.map { $0.takeBytes() }
        var results: [R] = []
        for work in works { results.append(try work.result()) }
        return results
    }
}

/// An array that one thread works on, and what comes of that.
private final class ChunkWork<R: Sendable, E: Error>: Sendable {
    private let bytes: Mutex<[UInt8]>
    private let outcome = Mutex<Result<R, E>?>(nil)

    init(_ bytes: [UInt8]) { self.bytes = Mutex(bytes) }

    func run(_ body: (inout [UInt8]) throws(E) -> R) {
        let result = bytes.withLock { bytes in
            Result { () throws(E) in try body(&bytes) }
        }
        outcome.withLock { $0 = result }
    }

    func takeBytes() -> [UInt8] {
        bytes.withLock { bytes in
            defer { bytes = [] }
            return bytes
        }
    }

    func result() throws(E) -> R {
        guard let outcome = outcome.withLock({ $0 }) else {
            preconditionFailure("every array was worked on")
        }
        return try outcome.get()
    }
}
