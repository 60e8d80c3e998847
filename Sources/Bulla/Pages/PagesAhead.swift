internal import BullaMemory
internal import Dispatch
internal import Synchronization

/// Pages that several threads open for a scan, before the scan reaches them.
///
/// The pages are divided into pieces, and each thread takes the next piece until none is left. The
/// scan's thread takes part when it needs the pages. So it waits only for pieces that other threads
/// have begun, and never for a thread that has not started yet.
///
/// Reports no error, because the scan gets the error itself if it reaches the page.
final class PagesAhead: Sendable {
    /// How many pages a thread opens at a time; with fewer, the first thread would be done before
    /// another could start.
    private static let pageCountPerPiece = 32

    private let pager: Pager
    private let kind: PageKind
    private let claimed: [ClaimedFrame]
    private let pieceCount: Int
    private let taken = Atomic(0)
    private let finished = Atomic(0)
    /// Signaled once, when all pieces are finished.
    private let end = DispatchSemaphore(value: 0)
    private let process = ProcessNumber.current

    /// - Parameter claimed: the frames into which the pages go; at least one.
    init(_ pager: Pager, _ kind: PageKind, _ claimed: [ClaimedFrame]) {
        invariant(!claimed.isEmpty, "there is a page to open")
        (self.pager, self.kind, self.claimed) = (pager, kind, claimed)
        pieceCount = (claimed.count - 1) / Self.pageCountPerPiece + 1
    }

    var pointers: [PagePointer] { claimed.map(\.pointer) }

    /// Lets other threads begin to open the pages.
    func begin() {
        guard pieceCount > 1 else { return }
        for _ in 0..<min(ProcessorCount.allowed - 1, pieceCount) {
            DispatchQueue.global(qos: .userInitiated).async { [self] in openPieces() }
        }
    }

    /// Opens the pieces that no other thread has taken, and waits for the others.
    func finish() {
        openPieces()
        awaitOthers()
    }

    /// Frees the frames of the pieces that no thread has taken, and waits for the others.
    ///
    /// After ``finish()`` it must not be called.
    func abandon() {
        while let piece = takePiece() {
            for claim in piece { pager.cache.giveBack(claim.frame) }
            finishPiece()
        }
        awaitOthers()
    }

    private func awaitOthers() {
        // A child that the caller's closure has forked has none of the other threads.
        if process == ProcessNumber.current { end.wait() }
    }

    private func openPieces() {
        while let piece = takePiece() {
            if pieceCount > 1 { pager.cache.makeReady(piece) }
            open(piece)
            finishPiece()
        }
    }

    private func takePiece() -> ArraySlice<ClaimedFrame>? {
        let number = taken.add(1, ordering: .relaxed).oldValue
        guard number < pieceCount else { return nil }
        let first = number * Self.pageCountPerPiece
        return claimed[first..<min(first + Self.pageCountPerPiece, claimed.count)]
    }

    private func finishPiece() {
        if finished.add(1, ordering: .acquiringAndReleasing).newValue == pieceCount {
            end.signal()
        }
    }

    private func open(_ piece: ArraySlice<ClaimedFrame>) {
        let (cache, pointers) = (pager.cache, piece.map(\.pointer))
        do throws(BullaError) {
            try RunOpener(pager: pager, kind: kind).openHere(pointers[...]) {
                cache.writableContent(piece[piece.startIndex + $0].frame)
            }
        } catch { return piece.forEach { cache.giveBack($0.frame) } }
        for claim in piece {
            Epoch.enter()
            _ = cache.publish(claim.frame, claim.pointer)
            Epoch.leave()
        }
    }
}
