internal import BullaMemory
internal import Synchronization

/// The reader slots of one process: each names, for all processes, a commit that must stay
/// readable.
///
/// A slot belongs to a snapshot, not to a thread. Slots once claimed stay with the process, so that
/// a snapshot begins and ends without a system call. In private memory each has a line of its own:
///
///     word  meaning
///        0  1 while a snapshot uses it
///        1  number of the shared slot
///        2  commit whose root follows
///      3-5  pointer to the catalog's root
///        6  height of the catalog
///        7  which record that is: its sequence number
final class ReaderSlots: Sendable {
    private let board: CommitBoard
    private let words: SharedWords
    private let file: any StorageFile
    private let worldFile: any StorageFile
    private let region: AnonymousRegion
    private let lines: SharedWords
    private let lineCount = Atomic<Int>(0)
    private let claiming = Mutex<Set<Int>>([])
    /// How many commits a snapshot may lag behind before it is ended; `nil`: any number.
    private let commitLimit: UInt64?

    /// How often a snapshot begins anew because a newer commit came in between.
    private static let pinLimit = 1 << 20

    init(
        _ board: CommitBoard, _ world: World, _ file: any StorageFile, commitLimit: UInt64?
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

    /// A line for one snapshot, which stands on the newest checkpoint.
    func pin() throws(BullaError) -> PinnedCommit {
        let line = try takeLine()
        let slot = Int(lines.loadRelaxed(line + Line.slot))
        // What was said of the slot's former snapshot is not about this one, whatever its commit.
        if words.loadRelaxed(ReaderSlotLayout.expired(of: slot)) != 0 {
            words.storeRelease(0, ReaderSlotLayout.expired(of: slot))
        }
        do throws(BullaError) {
            for _ in 0..<Self.pinLimit {
                if lines.loadRelaxed(line + Line.stamp) != (try board.claimed()) {
                    fill(line, try board.checkpoint())
                }
                // First the claim, then the second look: a writer that did not see the claim had
                // not looked yet when the commit was still the newest.
                words.storeFenced(
                    lines.loadRelaxed(line + Line.commit), ReaderSlotLayout.commit(of: slot))
                if try board.claimed() == lines.loadRelaxed(line + Line.stamp) {
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

    /// Has a snapshot's slot hold another commit, for a planted bug.
    func claim(_ commit: UInt64, for pinned: PinnedCommit) {
        let slot = Int(lines.loadRelaxed(pinned.line + Line.slot))
        words.storeFenced(commit, ReaderSlotLayout.commit(of: slot))
    }

    func unpin(_ line: Int) {
        invariant(
            line % 64 == 0 && line / 64 < lineCount.load(ordering: .relaxed),
            "a line is one of this process's")
        // A forked child sees empty lines: the slot that they name is somebody else's.
        guard lines.loadRelaxed(line + Line.isUsed) != 0 else { return }
        let slot = Int(lines.loadRelaxed(line + Line.slot))
        words.storeRelease(0, ReaderSlotLayout.commit(of: slot))
        lines.storeRelease(0, line + Line.isUsed)
    }

    /// Gives up all slots, with whatever snapshots still stand in them: others may claim them now,
    /// and a snapshot that ends late must not clear theirs.
    func end() {
        for line in 0..<lineCount.load(ordering: .acquiring) {
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
    /// Threads begin their search at different places.
    private func takeLine() throws(BullaError) -> Int {
        let count = lineCount.load(ordering: .acquiring)
        let start = ThreadHint.number
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
            let line = lineCount.load(ordering: .relaxed) * 64
            invariant(own.count == line / 64 + 1, "each line has a slot of its own")
            invariant(own.count <= ReaderSlotLayout.limit, "there is a line for each slot")
            lines.storeRelaxed(1, line + Line.isUsed)
            lines.storeRelaxed(UInt64(slot), line + Line.slot)
            lineCount.add(1, ordering: .releasing)
            return line
        }
    }

    private func claimSlot(_ own: Set<Int>) throws(BullaError) -> Int {
        while true {
            let count = slotCount
            for slot in 0..<count where !own.contains(slot) {
                guard try file.lock(LockByte.slot(slot), .exclusive) else { continue }
                // Whoever had it is dead, and its snapshot with it.
                words.storeFenced(0, ReaderSlotLayout.commit(of: slot))
                words.storeRelaxed(ProcessNumber.current, ReaderSlotLayout.process(of: slot))
                return slot
            }
            try addSlots(to: count)
        }
    }

    /// The number of the process that a slot says it is of, for messages only.
    func process(ofSlot slot: Int) -> Int {
        Int(truncatingIfNeeded: words.loadRelaxed(ReaderSlotLayout.process(of: slot)))
    }

    /// How many slots there are; what others wrote there is not believed beyond the limit.
    private var slotCount: Int {
        Int(min(words.loadAcquire(WorldLayout.slotCount), UInt64(ReaderSlotLayout.limit)))
    }

    private func addSlots(to count: Int) throws(BullaError) {
        guard count + ReaderSlotLayout.step <= ReaderSlotLayout.limit else {
            throw BullaError(
                .readersFull, "begin a snapshot: \(count) are open, which is the limit")
        }
        let bytes = WorldLayout.byteCount(slotCount: count + ReaderSlotLayout.step)
        try worldFile.allocate(at: 0, byteCount: UInt64(bytes))
        _ = words.exchange(
            UInt64(count), for: UInt64(count + ReaderSlotLayout.step), WorldLayout.slotCount)
    }

    /// The commits that must stay readable, ascending: those of living snapshots, but for the ones
    /// that are too old, which end here.
    func snapshotCommits() throws(BullaError) -> [UInt64] {
        let newest = try board.checkpoint().commit
        var commits: Set<UInt64> = []
        for (slot, commit) in try livingSnapshots() {
            if isTooOld(commit, newest) {
                words.storeFenced(commit, ReaderSlotLayout.expired(of: slot))
            } else {
                commits.insert(commit)
            }
        }
        return commits.sorted()
    }

    /// The living snapshots of all processes, each by its slot and its commit.
    func livingSnapshots() throws(BullaError) -> [(slot: Int, commit: UInt64)] {
        fullFence()
        let newest = try board.checkpoint().commit
        // Under the lock of claiming: to this process's open file its own slots seem to be
        // nobody's.
        return try claiming.withLock { own throws(BullaError) in
            var living: [(slot: Int, commit: UInt64)] = []
            for slot in 0..<slotCount {
                let commit = words.loadAcquire(ReaderSlotLayout.commit(of: slot))
                guard commit != 0 else { continue }
                if commit < newest, !own.contains(slot), try reap(slot) { continue }
                living.append((slot, commit))
            }
            return living
        }
    }

    private func isTooOld(_ commit: UInt64, _ newest: UInt64) -> Bool {
        guard let commitLimit else { return false }
        return newest.subtractingOrZero(commit) > commitLimit
    }

    /// Whether a writer has taken pages that the snapshot would need.
    ///
    /// The word names the commit, so that a writer who is late in saying it of the slot's former
    /// snapshot says nothing of this one.
    func isExpired(_ pinned: PinnedCommit) -> Bool {
        let slot = Int(lines.loadRelaxed(pinned.line + Line.slot))
        return words.loadAcquire(ReaderSlotLayout.expired(of: slot)) == pinned.commit
    }

    /// Whether the claim of a snapshot stands as it was written.
    ///
    /// Its owner alone writes that word. Where it says anything else, a stranger has written over
    /// it, and writers may have used the snapshot's pages again. To be asked after what was read.
    @inline(__always)
    func isHeld(_ pinned: PinnedCommit) -> Bool {
        acquireFence()
        if PlantedBug.isPlanted(.slotHoldsCommit) { return true }
        let number = lines.loadRelaxed(pinned.line + Line.slot)
        // Writers look at no slot beyond the count that stands there.
        return words.loadAcquire(WorldLayout.slotCount) > number
            && words.loadAcquire(ReaderSlotLayout.commit(of: Int(number)))
                == pinned.commit
    }

    /// Clears a slot whose owner is dead; `false` when the owner lives.
    private func reap(_ slot: Int) throws(BullaError) -> Bool {
        guard try file.lock(LockByte.slot(slot), .exclusive) else { return false }
        words.storeFenced(0, ReaderSlotLayout.commit(of: slot))
        _ = try file.lock(LockByte.slot(slot), .none)
        return true
    }
}
