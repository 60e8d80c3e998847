internal import BullaMemory
internal import Dispatch
internal import Synchronization

/// Opens pages for a scan before it reaches them, on the scan's thread and on others.
///
/// The scan asks for one stretch of pages after another. Each stretch is divided into pieces, and
/// every thread takes the next piece until none is left. The scan's thread takes part while the
/// stretch that it needs is not open. So it waits only for pieces that other threads have begun,
/// and never for a thread that has not started.
///
/// This reports no error; if the scan reaches a page that did not open, it gets the error itself.
final class PagesAhead: Sendable {
    /// How many pages a thread opens at a time; with fewer, the first thread would be done before
    /// another could start.
    private static let pieceCount = 32
    /// With this many pages or more, it is worthwhile to let other threads take part.
    static let manyCount = 2 * pieceCount

    /// Pages that the scan reaches one after the other.
    final class Stretch: Sendable {
        let pointers: [PagePointer]
        /// How many pieces are not open yet.
        private let left: Atomic<Int>
        /// Signaled when the last piece is open.
        private let end = DispatchSemaphore(value: 0)

        fileprivate init(_ pointers: [PagePointer], pieceCount: Int) {
            self.pointers = pointers
            left = Atomic(pieceCount)
        }

        fileprivate var isOpen: Bool { left.load(ordering: .acquiring) == 0 }

        fileprivate func finishPiece() {
            if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { end.signal() }
        }

        fileprivate func wait() { if !isOpen { end.wait() } }
    }

    private struct Piece {
        let stretch: Stretch
        let claimed: ArraySlice<ClaimedFrame>
    }

    private struct Queue {
        /// Pieces that no thread has taken; threads take them from the end.
        var pieces: [Piece] = []
        /// How many other threads take pieces, or will do so when they have started.
        var helperCount = 0
    }

    private let pager: Pager
    private let kind: PageKind
    private let queue = Mutex(Queue())
    /// How many other threads may take part: one for each processor except that of the scan's
    /// thread.
    let helperLimit = ProcessorCount.ofThread - 1

    init(_ pager: Pager, _ kind: PageKind) { (self.pager, self.kind) = (pager, kind) }

    /// Lets other threads begin to open pages.
    ///
    /// - Parameter claimed: the frames into which the pages go.
    func begin(_ claimed: [ClaimedFrame]) -> Stretch {
        // Do this before other threads reach the memory: if two threads touched a new huge page at
        // the same time, the kernel would zero two.
        pager.cache.makeReady(claimed)
        let starts = Array(stride(from: 0, to: claimed.count, by: Self.pieceCount))
        let stretch = Stretch(claimed.map(\.pointer), pieceCount: starts.count)
        let pieces = starts.map { start in
            let end = min(start + Self.pieceCount, claimed.count)
            return Piece(stretch: stretch, claimed: claimed[start..<end])
        }
        let newHelperCount = queue.withLock { queue in
            queue.pieces.insert(contentsOf: pieces.reversed(), at: 0)
            let newCount = max(min(helperLimit, queue.pieces.count) - queue.helperCount, 0)
            queue.helperCount += newCount
            return newCount
        }
        for _ in 0..<newHelperCount {
            DispatchQueue.global(qos: .userInitiated).async { [self] in help() }
        }
        return stretch
    }

    /// Waits until a stretch is open, and opens pieces meanwhile.
    func finish(_ stretch: Stretch) {
        while !stretch.isOpen {
            guard let piece = queue.withLock({ $0.pieces.popLast() }) else {
                return stretch.wait()
            }
            open(piece)
        }
    }

    /// Gives back the frames of pages that no thread has begun to open, and waits until other
    /// threads have opened the pages that they have begun.
    ///
    /// Do not call this in a forked child, which has none of the other threads.
    func abandon(_ stretches: [Stretch]) {
        let pieces = queue.withLock { queue in
            defer { queue.pieces = [] }
            return queue.pieces
        }
        for piece in pieces {
            for claim in piece.claimed { pager.cache.giveBack(claim.frame) }
            piece.stretch.finishPiece()
        }
        for stretch in stretches { stretch.wait() }
    }

    /// Opens pieces until none is left.
    private func help() {
        while let piece = takeOrEnd() { open(piece) }
    }

    /// The next piece for a helper; if there is none, the helper ends.
    private func takeOrEnd() -> Piece? {
        queue.withLock { queue in
            let piece = queue.pieces.popLast()
            if piece == nil { queue.helperCount -= 1 }
            return piece
        }
    }

    private func open(_ piece: Piece) {
        pager.open(piece.claimed, kind)
        piece.stretch.finishPiece()
    }
}
