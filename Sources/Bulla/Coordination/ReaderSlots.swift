internal import BullaMemory
internal import Synchronization

/// The reader slots of one process: each names, for all processes, a commit that must stay
/// readable.
///
/// A slot belongs to a snapshot, not to a thread. A slot stays with the process that has claimed
/// it, so a snapshot begins and ends without a system call. Each slot has a line in private memory:
///
///     word  meaning
///        0  1 while a snapshot uses it
///        1  number of the shared slot
///        2  commit to which the following root belongs
///      3-5  pointer to the catalog's root
///        6  height of the catalog
///        7  sequence number of the checkpoint's record
final class ReaderSlots: Sendable {
    let board: CheckpointBoard
    let words: SharedWords
    let file: any StorageFile
    private let worldFile: any StorageFile
    private let region: AnonymousRegion
    private let lines: SharedWords
    private let usedLineCount = Atomic<Int>(0)
    let claiming = Mutex<Set<Int>>([])
    /// How many commits a snapshot may lag behind the newest checkpoint before a writer of this
    /// process ends it; `nil`: any number.
    let commitLimit: UInt64?

    /// How many times pinning is tried; a try fails if a newer checkpoint is posted during it.
    private static let pinLimit = 1 << 20

    init(
        _ board: CheckpointBoard, _ world: World, _ file: any StorageFile, commitLimit: UInt64?
    ) throws(BullaError) {
        self.board = board
        self.commitLimit = commitLimit
        self.file = file
        words = world.words
        worldFile = world.file
        do { region = try AnonymousRegion(byteCount: ReaderSlotLayout.limit * 64) } catch {
            throw BullaError.memory("reserve reader slots", error)
        }
        lines = SharedWords(region.bytes)
    }

    private enum Line {
        static let isUsed = 0
        static let slot = 8
        static let commit = 16
        static let number = 24
        static let birth = 32
        static let check = 40
        static let height = 48
        static let stamp = 56
    }

    /// Pins the newest checkpoint for one snapshot, in a line of its own.
    func pin() throws(BullaError) -> PinnedCommit {
        let line = try takeLine()
        let slot = Int(lines.loadRelaxed(line + Line.slot))
        // If a writer ended an earlier snapshot in this slot, the slot still says so. That must not
        // end this snapshot too, even if both have the same commit.
        if words.loadRelaxed(ReaderSlotLayout.expired(of: slot)) != 0 {
            words.storeRelease(0, ReaderSlotLayout.expired(of: slot))
        }
        do throws(BullaError) {
            for _ in 0..<Self.pinLimit {
                if stamp(line) != (try board.claimed()) {
                    fill(line, try board.checkpoint())
                }
                // Store the claim, and only then ask again which checkpoint is the newest: either a
                // writer sees the claim, or this thread sees the writer's newer checkpoint.
                words.storeFenced(
                    lines.loadRelaxed(line + Line.commit), ReaderSlotLayout.commit(of: slot))
                if try board.claimed() == stamp(line) {
                    return pinned(line)
                }
            }
            throw BullaError(
                .busy, "begin a snapshot: checkpoints came faster than one can be pinned")
        } catch {
            unpin(line)
            throw error
        }
    }

    /// How many lines have entries in the caches of snapshots and of found trees; a thread begins
    /// its search for a free line at one of these.
    static let firstLineCount = 64

    /// How many lines there are.
    var lineCount: Int { usedLineCount.load(ordering: .acquiring) }

    /// The number of a line, counted from 0.
    @inline(__always)
    static func index(ofLine line: Int) -> Int { line / 64 }

    /// The sequence number of the checkpoint's record from which a line was last filled.
    @inline(__always)
    func stamp(_ line: Int) -> UInt64 { lines.loadRelaxed(line + Line.stamp) }

    /// The unverified number that the board gives for the newest checkpoint's record.
    ///
    /// A caller that used ``board`` instead of this method would retain and release the board.
    ///
    /// - Throws: as ``CheckpointBoard/claimed()``.
    @inline(__always)
    func newestStamp() throws(BullaError) -> UInt64 { try board.claimed() }

    /// Runs `body` if no snapshot uses the given line, and lets no snapshot use it meanwhile.
    func withFreeLine(_ index: Int, _ body: () -> Void) {
        let line = index * 64
        guard lines.loadRelaxed(line) == 0, lines.exchange(0, for: 1, line) else { return }
        body()
        lines.storeRelease(0, line + Line.isUsed)
    }

    /// Makes a snapshot's slot hold another commit, for a planted bug.
    func claim(_ commit: UInt64, for pinned: PinnedCommit) {
        let slot = Int(lines.loadRelaxed(pinned.line + Line.slot))
        words.storeFenced(commit, ReaderSlotLayout.commit(of: slot))
    }

    func unpin(_ line: Int) {
        invariant(line % 64 == 0 && line / 64 < lineCount, "a line is one of this process's")
        // In a forked child the lines hold only zeros, and so name slot 0, which is another
        // process's.
        guard lines.loadRelaxed(line + Line.isUsed) != 0 else { return }
        let slot = Int(lines.loadRelaxed(line + Line.slot))
        words.storeRelease(0, ReaderSlotLayout.commit(of: slot))
        lines.storeRelease(0, line + Line.isUsed)
    }

    /// Gives up all slots, with the snapshots that still use them.
    ///
    /// Afterwards other processes can claim the slots. A snapshot that ends late finds its line
    /// unused, so it does not clear a slot that another process has claimed.
    func end() {
        for line in 0..<lineCount {
            unpin(line * 64)
        }
    }

    private func fill(_ line: Int, _ record: CommitRecord) {
        lines.storeRelaxed(record.catalog.pointer.number, line + Line.number)
        lines.storeRelaxed(record.catalog.pointer.birth, line + Line.birth)
        lines.storeRelaxed(record.catalog.pointer.check, line + Line.check)
        lines.storeRelaxed(UInt64(record.catalog.height), line + Line.height)
        lines.storeRelaxed(record.commit, line + Line.commit)
        lines.storeRelaxed(record.sequence, line + Line.stamp)
    }

    @inline(__always)
    private func pinned(_ line: Int) -> PinnedCommit {
        PinnedCommit(
            line: line,
            commit: lines.loadRelaxed(line + Line.commit),
            catalog: TreeRoot(
                pointer: PagePointer(
                    number: lines.loadRelaxed(line + Line.number),
                    birth: lines.loadRelaxed(line + Line.birth),
                    check: lines.loadRelaxed(line + Line.check)),
                height: Int(lines.loadRelaxed(line + Line.height)), entryCount: 0, largeCount: 0,
                number: 0))
    }

    /// A line that no snapshot of this process uses.
    ///
    /// Threads begin their search at different lines, so that they seldom meet.
    private func takeLine() throws(BullaError) -> Int {
        let count = lineCount
        // Even if many snapshots have been open at once, begin at a line with entries in the
        // caches.
        let start = ThreadHint.number % max(min(count, Self.firstLineCount), 1)
        for step in 0..<count {
            let line = (start &+ step) % count * 64
            if lines.loadRelaxed(line) == 0, lines.exchange(0, for: 1, line) { return line }
        }
        return try addLine()
    }

    private func addLine() throws(BullaError) -> Int {
        try claiming.withLock { own throws(BullaError) in
            let slot = try claimSlot(own)
            invariant(!own.contains(slot), "a slot is claimed once")
            own.insert(slot)
            let line = lineCount * 64
            invariant(own.count == lineCount + 1, "each line has a slot of its own")
            invariant(own.count <= ReaderSlotLayout.limit, "there is a line for each slot")
            lines.storeRelaxed(1, line + Line.isUsed)
            lines.storeRelaxed(UInt64(slot), line + Line.slot)
            usedLineCount.add(1, ordering: .releasing)
            return line
        }
    }

    /// The process number that a slot names, for messages only.
    func process(ofSlot slot: Int) -> Int {
        Int(truncatingIfNeeded: words.loadRelaxed(ReaderSlotLayout.process(of: slot)))
    }

    /// How many slots there are; never more than the limit, even if the number is forged.
    var slotCount: Int {
        Int(min(words.loadAcquire(WorldLayout.slotCount), UInt64(ReaderSlotLayout.limit)))
    }

    func addSlots(to count: Int) throws(BullaError) {
        guard count + ReaderSlotLayout.step <= ReaderSlotLayout.limit else {
            throw BullaError(
                .readersFull, "begin a snapshot: \(count) are open, which is the limit")
        }
        let bytes = WorldLayout.byteCount(slotCount: count + ReaderSlotLayout.step)
        try worldFile.allocate(at: 0, byteCount: UInt64(bytes))
        _ = words.exchange(
            UInt64(count), for: UInt64(count + ReaderSlotLayout.step), WorldLayout.slotCount)
    }

    /// Whether a writer has ended the snapshot, to reuse pages that the snapshot would need.
    ///
    /// The word in the slot names the commit whose snapshot was ended. So a writer that is late in
    /// ending the slot's former snapshot does not end this one.
    func isExpired(_ pinned: PinnedCommit) -> Bool {
        let slot = Int(lines.loadRelaxed(pinned.line + Line.slot))
        return words.loadAcquire(ReaderSlotLayout.expired(of: slot)) == pinned.commit
    }

    /// Whether a snapshot's claim still says what its owner wrote.
    ///
    /// Only the owner writes the claim. If it says anything else, a stranger has overwritten it,
    /// and writers may have reused the snapshot's pages. So ask after reading, not before.
    @inline(__always)
    func isHeld(_ pinned: PinnedCommit) -> Bool {
        acquireFence()
        if PlantedBug.isPlanted(.slotHoldsCommit) { return true }
        let number = lines.loadRelaxed(pinned.line + Line.slot)
        // Writers look at no slot beyond this count.
        return words.loadAcquire(WorldLayout.slotCount) > number
            && words.loadAcquire(ReaderSlotLayout.commit(of: Int(number)))
                == pinned.commit
    }
}
