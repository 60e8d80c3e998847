internal import Dispatch
internal import Synchronization

/// Sealed chunks of one file, on their way to the thread that puts them.
///
/// One thread fills chunks and sends them, another one takes and puts them. All the memory that
/// there is for chunks goes round between the two.
final class ChunkQueue: Sendable {
    /// For how many chunks there is memory: those that are filled, that wait, and that are put.
    private static let memoryCount = 4

    private let state = Mutex(State())
    /// Memory that nobody uses; counted from 0, as a semaphore must not go with less.
    private let room = DispatchSemaphore(value: 0)

    private struct State {
        /// In the order in which they were sent.
        var waiting: [[UInt8]] = []
        /// What was taken last.
        var taken: [UInt8]?
        /// The memory of chunks that were put.
        var spare: [[UInt8]] = []
        /// Whether a thread takes chunks.
        var isTaking = false
        /// Why nothing more can be put.
        var failure: RecordError?
    }

    init() {
        for _ in 0..<Self.memoryCount { room.signal() }
    }

    /// Waits for the memory of a chunk, which is that of a former one or has yet to be asked for.
    func memory() -> [UInt8] {
        room.wait()
        return state.withLock { $0.spare.popLast() ?? [] }
    }

    /// Leaves a chunk to the thread that takes them.
    ///
    /// - Returns: whether there is no such thread, so that the sender has to begin one.
    /// - Throws: why former chunks could not be put.
    func send(_ chunk: [UInt8]) throws(RecordError) -> Bool {
        try state.withLock { state throws(RecordError) in
            if let failure = state.failure { throw failure }
            state.waiting.append(chunk)
            defer { state.isTaking = true }
            return !state.isTaking
        }
    }

    /// Takes the next chunk, where one waits; the chunk before it was put.
    func next() -> [UInt8]? {
        state.withLock { state in
            giveBack(&state)
            guard !state.waiting.isEmpty else { return nil }
            state.taken = state.waiting.removeFirst()
            return state.taken
        }
    }

    /// Whether no chunk waits, so that the next one that is sent begins a thread.
    ///
    /// What was taken last was put.
    func endIfEmpty() -> Bool {
        state.withLock { state in
            giveBack(&state)
            state.isTaking = !state.waiting.isEmpty
            return !state.isTaking
        }
    }

    /// Drops what waits and all that will be sent, as it cannot be put.
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
