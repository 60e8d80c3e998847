internal import BullaCipher
internal import BullaMemory
internal import Synchronization

/// Makes published commits durable: one leader writes the meta slot and flushes for everyone who
/// waits.
///
/// A meta slot is written under the flush lock only, and never over the one that was flushed last.
final class Flusher: PageFlusher {
    let store: StoreParts
    let board: CommitBoard
    private let writerLock: WriterLock
    let metas: MetaSlots
    private let pages: RecoveryWalk
    /// The leader's own open file, and that of whoever flushes under the writer's lock: the kernel
    /// tells each of a failed write-back, and each only once.
    private let leading: any FlushHandle
    private let writing: any FlushHandle
    let lock: FlushLock
    private let company: FlushCompany
    /// The last commit of which pages may have been written before the handles were opened.
    private let formerCommit = Atomic<UInt64>(0)

    init(
        _ store: StoreParts, _ board: CommitBoard, _ writerLock: WriterLock, pages: RecoveryWalk,
        timeout: Duration
    ) throws(BullaError) {
        self.store = store
        self.board = board
        self.writerLock = writerLock
        self.pages = pages
        lock = FlushLock(
            store.file, path: store.path, board.words, board.poison, timeout: timeout)
        company = FlushCompany(board.words, writerLock)
        metas = MetaSlots(store)
        leading = try store.file.openFlushHandle()
        let isShared = PlantedBug.isPlanted(.flushHandleShared)
        writing = isShared ? leading : try store.file.openFlushHandle()
    }

    private var words: SharedWords { board.words }

    /// Returns when the commit is durable, by this thread's flush or another's.
    ///
    /// - Parameters:
    ///   - start: when the wait began; the lock is tried once, however long ago that was.
    /// - Throws: `notYetDurable` when somebody else held the flush lock for the whole time.
    func awaitDurable(
        _ commit: UInt64, since start: ContinuousClock.Instant = .now
    ) throws(BullaError) {
        let isDurable = try lock.awaitTurns(since: start) { () throws(BullaError) in
            try board.record(.durable).commit >= commit
        } lead: { () throws(BullaError) in
            try lead(upTo: commit)
        }
        guard isDurable else { throw lock.notYetDurable(commit) }
    }

    /// Flushes, where nobody has done so; under the flush lock.
    private func lead(upTo commit: UInt64) throws(BullaError) {
        let durable = try board.record(.durable)
        guard durable.commit < commit else { return }
        try company.wait(durable: durable.commit, former: durable.lastDurable) {
            () throws(BullaError) in try board.newestCommit()
        }
        // Who came along may have met a failing disk.
        try checkPoison()
        try flush(SealBudget())
    }

    /// Flushes as the only one who may; waits for whoever is at it.
    ///
    /// - Parameters:
    ///   - commit: what the flush is for and stands already, where there is such a commit.
    /// - Throws: `busy` when somebody else held the flush lock for the whole timeout, or
    ///   `notYetDurable` where a commit stands.
    func leadAlways(
        _ budget: SealBudget = SealBudget(), for commit: UInt64? = nil
    ) throws(BullaError) {
        try underLock("flush", for: commit) { () throws(BullaError) in try flush(budget) }
    }

    private func underLock(
        _ attempt: String, for commit: UInt64? = nil, _ body: () throws(BullaError) -> Void
    ) throws(BullaError) {
        // Whoever has the lock may be waiting for this very writer.
        try lock.hold(
            to: attempt, for: commit, whenTaken: { writerLock.endCompany() }, body)
    }

    /// Names a checkpoint in a slot, durably, and tells everybody; its pages are on the disk.
    ///
    /// Under the tree lock.
    ///
    /// - Parameter commit: what it is for and stands already, where there is such a commit.
    /// - Throws: as ``leadAlways(_:for:)``.
    func post(_ checkpoint: CommitRecord, for commit: UInt64? = nil) throws(BullaError) {
        try underLock("make a checkpoint of", for: commit) { () throws(BullaError) in
            try postUnderLock(checkpoint)
        }
    }

    /// The same under the flush lock.
    func postUnderLock(_ checkpoint: CommitRecord) throws(BullaError) {
        invariant(lock.isHeldHere, "a meta is written under the flush lock")
        let former = try board.record(.durable)
        try flush(checkpoint, SealBudget())
        // A half that lies elsewhere is used only where both slots say so.
        if former.log?.halves != checkpoint.log?.halves { try flush(checkpoint, SealBudget()) }
    }

    /// Names the newest checkpoint in the other slot too, unless both name it.
    ///
    /// Under the tree lock.
    func confirmCheckpoint() throws(BullaError) {
        try underLock("confirm a checkpoint of") { () throws(BullaError) in
            try confirm(isLast: false)
        }
    }

    /// Writes the newest published commit into the other slot, and flushes.
    ///
    /// Under the flush lock.
    ///
    ///     step      what a crash after it leaves
    ///     write     the former commit, or this one if the disk got all of it
    ///     flush     this commit
    ///     post      the same, and everybody knows
    private func flush(_ budget: SealBudget) throws(BullaError) {
        // With a log, what is published is what is durable, a dead one's slot included.
        if board.hasLog { _ = try takeUpDurable() }
        try flush(board.record(.published), budget)
    }

    private func flush(
        _ commit: CommitRecord, _ budget: SealBudget
    ) throws(BullaError) {
        let former = try takeUpDurable()
        var record = commit
        guard record.commit >= former.commit else { throw isBehind(former.commit) }
        try finishInterrupted(record, since: former)
        budget.apply(to: &record, former: former, sealed: board.seals.total(former))
        record.lastDurable = former.commit
        record.metaSlot = 1 - former.metaSlot
        if PlantedBug.isPlanted(.slotReused) { record.metaSlot = former.metaSlot }
        record.flush = former.flush + 1
        words.storeRelease(record.commit, WorldLayout.flushUnderWay)
        try board.poison.spreading { () throws(BullaError) in
            try metas.write(record)
            try company.measure { () throws(BullaError) in
                if !PlantedBug.isPlanted(.flushSkipped) { try leading.flush() }
            }
        }
        // A writer's flush may have failed meanwhile: what it was told of is in doubt for all.
        try checkPoison()
        try board.post(record, .durable)
        if budget.epoch != nil { board.seals.reset() }
        words.storeRelease(0, WorldLayout.flushUnderWay)
        words.add(1, WorldLayout.flushes)
    }

    /// The record that was durable last; under the flush lock.
    ///
    /// The file is asked too. A meta slot that is newer than the board is a leader's that died
    /// before he posted it, or one whose record a stranger took from the board. Nobody may write
    /// over it, for it may have been flushed; nor trust it, for it may not. So it is written again,
    /// as recovery does.
    private func takeUpDurable() throws(BullaError) -> CommitRecord {
        try board.raiseDurable()
        let known = try board.record(.durable)
        guard let newest = try metas.newest(after: known) else { return known }
        // Of a checkpoint nobody knows before it is durable: one that was cut short is finished.
        let published = try board.record(.published).commit
        guard board.hasLog || newest.commit <= published else { throw isBehind(newest.commit) }
        if newest.confirms(known) { return try settle(newest) }
        // It stays said that a flush is under way: what was published later is written again, too.
        words.storeRelease(newest.commit, WorldLayout.flushUnderWay)
        try pages.writeAgain(newest, since: known.commit)
        try metas.write(newest)
        try flushAsLeader()
        try checkPoison()
        try board.post(newest, .durable)
        return newest
    }

    /// Makes a slot durable that only confirms the commit which the board knows; its pages and the
    /// other slot were flushed before it was written (``CleanClose``).
    private func settle(_ confirming: CommitRecord) throws(BullaError) -> CommitRecord {
        let interrupted = words.loadAcquire(WorldLayout.flushUnderWay)
        // The flush covers pages of commits that are published already, too.
        words.storeRelease(confirming.commit, WorldLayout.flushUnderWay)
        try metas.write(confirming)
        try flushAsLeader()
        try checkPoison()
        try board.post(confirming, .durable)
        if interrupted == 0 { words.storeRelease(0, WorldLayout.flushUnderWay) }
        return confirming
    }

    /// Sees to it that who joins sees what the file has: the board may have been set back.
    ///
    /// - Throws: `busy` when a leader, stopped perhaps, held the flush lock for the whole timeout.
    func takeUpNewer() throws(BullaError) {
        guard try hasNewer() else { return }
        // As a rule a flush is under way, and this waits for it.
        try underLock("open") { () throws(BullaError) in _ = try takeUpDurable() }
    }

    /// Whether nobody has written since the store was opened, closed cleanly as it was.
    private func isUntouched() throws(BullaError) -> Bool {
        let known = try board.record(.durable)
        guard try board.record(.published).commit == known.commit,
            let newest = try metas.newest(after: known)
        else { return false }
        return newest.confirms(known)
            && newest.reservedCount == board.seals.total(known)
    }

    /// Writes again what this process's flush cannot vouch for.
    ///
    /// A leader died while it flushed: whether its pages are clean or lost, the kernel does not
    /// say. Or others wrote before this process's handles were opened: of a write-back that failed
    /// before, and that somebody was told of, the kernel does not tell it.
    private func finishInterrupted(
        _ published: CommitRecord, since former: CommitRecord
    ) throws(BullaError) {
        let isInterrupted = words.loadAcquire(WorldLayout.flushUnderWay) != 0
        guard isInterrupted || former.commit < formerCommit.load(ordering: .acquiring) else {
            return
        }
        try pages.writeAgain(published, since: former.commit)
    }

    /// Notes which commits' pages others may have written before this process came.
    ///
    /// To be called by who joins others.
    func noteFormerCommits() throws(BullaError) {
        guard !PlantedBug.isPlanted(.formerPagesTrusted) else { return }
        // Asked before it is looked what is published: a writer that had done so is counted there.
        let isWriting = try store.file.isLocked(LockByte.writer, against: .exclusive)
        let published = try board.record(.published).commit
        formerCommit.store(published &+ (isWriting ? 1 : 0), ordering: .releasing)
    }

    /// Flushes pages that no meta page names yet.
    ///
    /// The same flush may cover pages of commits that are published already: when it fails, they
    /// are in doubt.
    ///
    /// To be called under the writer's lock.
    func flushPages() throws(BullaError) { try flush(writing) }

    /// Flushes what was written under the flush lock, or by who is alone.
    func flushAsLeader() throws(BullaError) { try flush(leading) }

    private func flush(_ handle: any FlushHandle) throws(BullaError) {
        try board.poison.spreading { () throws(BullaError) in try handle.flush() }
    }

    /// Writes the durable commit into the other slot too, so that both name it: it can never be
    /// fallen back from.
    ///
    /// To be called by who is alone.
    ///
    /// - Parameters:
    ///   - isLast: nobody seals any more: what was reserved and not used is given back.
    func confirm(isLast: Bool) throws(BullaError) {
        try checkPoison()
        if try isUntouched() { return }
        // Somebody may have published, and died.
        if isLast, try board.record(.published).commit > board.record(.durable).commit {
            try flush(SealBudget())
        }
        var record = try takeUpDurable()
        let sealed = board.seals.total(record)
        let isGivingBack = isLast && record.reservedCount != sealed
        guard record.lastDurable != record.commit || isGivingBack else { return }
        try finishInterrupted(try board.record(.published), since: record)
        record = record.confirmation
        SealBudget().apply(to: &record, former: record, sealed: sealed)
        if isLast { record.reservedCount = record.sealedCount }
        // The flush covers pages of commits that are published already, too: who finds it
        // interrupted must not trust that they are clean.
        words.storeRelease(record.commit, WorldLayout.flushUnderWay)
        try metas.write(record)
        try flushAsLeader()
        try checkPoison()
        try board.post(record, .durable)
        words.storeRelease(0, WorldLayout.flushUnderWay)
    }

    /// The same, where others may be at work: unless somebody is flushing, who then confirms
    /// himself.
    func confirmAsLeader() throws(BullaError) {
        _ = try lock.holdIfFree { () throws(BullaError) in try confirm(isLast: false) }
    }
}
