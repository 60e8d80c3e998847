internal import Dispatch
internal import Synchronization

extension [[UInt8]] {
    /// Applies `body` to every array in place, on as many threads as the system provides.
    ///
    /// - Returns: the results of `body`, in the order of the arrays.
    /// - Throws: the error for the first array on which `body` throws, once all arrays are
    ///   processed.
    mutating func workOnEach<R: Sendable, E: Error>(
        _ body: @Sendable (_ place: Int, inout [UInt8]) throws(E) -> R
    ) throws(E) -> [R] {
        let works = map { ChunkWork<R, E>($0) }
        // Each work item must be the only owner of its array, or it would copy the array.
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

/// An array for one thread to process, and the outcome of the processing.
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
