internal import Dispatch
internal import Synchronization

/// Sealed chunks of one file, on their way to the thread that puts them into the store.
///
/// One thread fills chunks and sends them; another one takes and puts them. A fixed set of buffers
/// circulates between the two.
final class ChunkQueue: Sendable {
    /// The number of buffers for chunks that are being filled, are waiting, or are being put.
    private static let memoryCount = 4

    private let state = Mutex(State())
    /// Counts the free buffers; its initial value is 0, and `init` raises it, because a semaphore
    /// must not be destroyed below its initial value.
    private let room = DispatchSemaphore(value: 0)

    private struct State {
        /// The waiting chunks, in the order in which they were sent.
        var waiting: [[UInt8]] = []
        /// The chunk that was taken last.
        var taken: [UInt8]?
        /// The buffers of chunks that were put.
        var spare: [[UInt8]] = []
        /// Whether a thread is taking chunks.
        var isTaking = false
        /// Why no more chunks can be put.
        var failure: RecordError?
    }

    init() {
        for _ in 0..<Self.memoryCount { room.signal() }
    }

    /// Waits for a free buffer, which may be a new one.
    func memory() -> [UInt8] {
        room.wait()
        return state.withLock { $0.spare.popLast() ?? [] }
    }

    /// Passes a chunk to the thread that takes chunks.
    ///
    /// - Returns: whether there is no such thread, and the sender has to start one.
    /// - Throws: the error because of which earlier chunks could not be put.
    func send(_ chunk: [UInt8]) throws(RecordError) -> Bool {
        try state.withLock { state throws(RecordError) in
            if let failure = state.failure { throw failure }
            state.waiting.append(chunk)
            defer { state.isTaking = true }
            return !state.isTaking
        }
    }

    /// Takes the next chunk, if there is one; the chunk before it counts as put.
    func next() -> [UInt8]? {
        state.withLock { state in
            giveBack(&state)
            guard !state.waiting.isEmpty else { return nil }
            state.taken = state.waiting.removeFirst()
            return state.taken
        }
    }

    /// Whether no chunk waits; if so, the caller stops taking chunks, and the next sender starts a
    /// new thread.
    ///
    /// The chunk that was taken last counts as put.
    func endIfEmpty() -> Bool {
        state.withLock { state in
            giveBack(&state)
            state.isTaking = !state.waiting.isEmpty
            return !state.isTaking
        }
    }

    /// Drops the waiting chunks and refuses all later ones, because they cannot be put.
    func fail(_ error: RecordError) {
        state.withLock { state in
            state.failure = error
            giveBack(&state)
            for _ in state.waiting { room.signal() }
            state.waiting = []
        }
    }

    private func giveBack(_ state: inout State) {
        guard let chunk = state.taken.take() else { return }
        state.spare.append(chunk)
        room.signal()
    }
}
