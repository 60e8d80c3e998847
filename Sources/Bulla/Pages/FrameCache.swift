internal import BullaCipher
internal import BullaMemory
internal import Dispatch
internal import Synchronization

/// Opened pages kept in memory, found by their pointer without a lock.
///
/// A page lies in its home frame, which its number names, or, where that was taken, in the one
/// whose address is the page table's word for it. What a frame holds stands in the frame itself: a
/// guess or a word that has gone stale finds another page or another version there, and counts as
/// a miss.
final class FrameCache: Sendable {
    let table: WordTable
    let region: FrameRegion
    /// Taken inside operations too, so nobody may wait for operations while he has it.
    let pool: Mutex<Pool>
    /// The clock's hand, which one thread at a time moves.
    ///
    /// Taken outside operations only.
    private let hand = Mutex(0)

    /// Frames that are in nobody's use, or soon will be.
    struct Pool: ~Copyable {
        /// Frames that hold nothing and that nobody looks at.
        var free: FreeFrames
        /// Frames that the table does not name any more, but that somebody may still look at.
        var limbo: [Int] = []
        /// How many frames writers have, for pages that they change.
        var lentCount = 0
        /// The lowest block that a large transaction has come to: below it, memory is cold.
        var lowestBlock = Int.max
    }

    /// Below it, a few cursors and a deep tree would fill what is left for readers.
    private static let readersMinimum = 64
    private static let writersMinimum = 16
    static let frameCountMinimum = readersMinimum + 2 * writersMinimum

    /// Frames of rewritten pages are used again in batches of so many: memory that is warm.
    private var limboLimit: Int { min(128, region.frameCount / 8) }

    /// What writers have is lost to readers.
    private var lentLimit: Int { (region.frameCount - Self.readersMinimum) / 2 }

    /// Stands in a frame that a writer has, where others have a page's number.
    ///
    /// No pointer can have it, not even one in a forged file.
    private let lentMark: UInt64

    init(pageByteCount: Int, byteLimit: Int) throws(BullaError) {
        let count = max(byteLimit / pageByteCount, Self.frameCountMinimum)
        do { lentMark = try KernelRandom.uint64() | 1 << 63 } catch {
            throw BullaError.cipher("draw random bytes", error)
        }
        do {
            table = try WordTable()
            region = try Self.reserve(count, pageByteCount)
            pool = Mutex(Pool(free: try FreeFrames(count: region.frameCount)))
        } catch { throw BullaError.memory("reserve a cache of \(count) pages", error) }
    }

    /// As many frames as are wanted, or fewer where address space is short: much fewer, since
    /// others need some too.
    private static func reserve(
        _ count: Int, _ pageByteCount: Int
    ) throws(MemoryError) -> FrameRegion {
        do throws(MemoryError) {
            return try FrameRegion(frameByteCount: pageByteCount, frameCount: count)
        } catch {
            guard error.isShortage, count > frameCountMinimum else { throw error }
        }
        return try reserve(max(count / 4, frameCountMinimum), pageByteCount)
    }

    /// The page's content, when it is here.
    ///
    /// To be called inside an epoch.
    @inline(__always)
    func content(_ pointer: PagePointer) -> ByteView? {
        if let content = region.contentAtHome(number: pointer.number, check: pointer.check) {
            return content
        }
        return contentAway(pointer)
    }

    /// The page's content where it is not at home.
    ///
    /// One that is often looked at there, though its home is free, is let go: the caller opens it
    /// again, at home.
    @inline(never)
    private func contentAway(_ pointer: PagePointer) -> ByteView? {
        let word = table.load(pointer.number)
        guard let content = content(named: word, pointer) else { return nil }
        let frame = region.frame(named: word)
        guard region.countLook(frame, limit: Self.awayLimit),
            region.isEmpty(region.home(pointer.number)),
            table.exchange(word, for: 0, at: pointer.number)
        else { return content }
        retire([frame])
        return nil
    }

    /// Looks at a page away from home that cost about as much as to open it again.
    private static let awayLimit: UInt64 = 64

    /// Copies a page's content, when it is here, for a writer that is about to supersede it.
    ///
    /// It is found without a look at its home: most lie where a writer has laid them. Where no
    /// thread has looked at it since this process made it, none is expected to, and the writer
    /// gives the frame up: changing a page again and again takes no more memory than the page has.
    ///
    /// - Returns: whether this process has made the content; `nil` when it is not here.
    func copy(_ pointer: PagePointer, into target: MutableByteView) -> Bool? {
        Epoch.enter()
        let word = table.load(pointer.number)
        let content = region.peek(named: word, number: pointer.number, check: pointer.check)
        guard let content else {
            Epoch.leave()
            return nil
        }
        target.copy(content, to: 0)
        let isOwn = FrameRegion.isOwn(content)
        let frame = region.frame(named: word)
        let isWanted = !region.isUnseen(frame)
        Epoch.leave()
        if !isWanted, table.exchange(word, for: 0, at: pointer.number) { retire([frame]) }
        return isOwn
    }

    private func content(named name: UInt64, _ pointer: PagePointer) -> ByteView? {
        region.content(named: name, number: pointer.number, check: pointer.check)
    }

    @inline(__always)
    func prefetch(_ pointer: PagePointer) {
        region.prefetchHome(number: pointer.number, lineCount: 4)
    }

    /// A frame to open a page into, its home if that is free; `nil` when every one is held.
    ///
    /// To be called outside any epoch: it may wait until the operations of others have ended.
    func claim(for pointer: PagePointer) -> Int? {
        let home = region.home(pointer.number)
        return claim { $0.take(preferring: home) }
    }

    /// A frame for a page that a writer changes, of which nobody knows before it is published.
    ///
    /// It lies in memory that was used before, rather than where it is found soonest.
    ///
    /// To be called outside any epoch.
    ///
    /// - Returns: `nil` where writers have as many as they may.
    func lend() -> Int? {
        let isAllowed = pool.withLock { pool in
            guard pool.lentCount < lentLimit else { return false }
            pool.lentCount += 1
            return true
        }
        guard isAllowed else { return nil }
        guard let frame = claim({ $0.take() }) else {
            pool.withLock { $0.lentCount -= 1 }
            return nil
        }
        if let block = coldBlock(of: frame) { region.prepare(block) }
        region.reserve(frame, lentMark)
        return frame
    }

    /// The block of a frame that a large transaction is the first to come to, and will fill: frames
    /// that nobody has used are lent from the highest down.
    private func coldBlock(of frame: Int) -> Int? {
        guard let block = region.block(of: frame) else { return nil }
        return pool.withLock { pool in
            guard pool.lentCount > limboLimit, block < pool.lowestBlock else { return nil }
            pool.lowestBlock = block
            return block
        }
    }

    private func claim(_ take: (inout FreeFrames) -> Int?) -> Int? {
        invariant(!Epoch.isInside, "a frame is claimed outside any epoch")
        for _ in 0..<Self.claimLimit {
            let (frame, limboCount) = pool.withLock { pool in
                (take(&pool.free), pool.limbo.count)
            }
            if let frame {
                if limboCount >= limboLimit { hand.withLockIfAvailable { _ in release() } }
                return frame
            }
            hand.withLock { hand in
                // Somebody may have freed some while this thread waited.
                guard pool.withLock({ $0.free.isEmpty }) else { return }
                release()
                guard pool.withLock({ $0.free.isEmpty }) else { return }
                unlink(&hand)
                release()
            }
        }
        return nil
    }

    private static let tidying = DispatchQueue(label: "bulla.cache", qos: .utility)

    /// How often others may take what one thread has freed before it gives up.
    private static let claimLimit = 16

    func writableContent(_ frame: Int) -> MutableByteView { region.writableContent(frame) }

    /// Gives back a frame that was claimed, but not published.
    func giveBack(_ frame: Int) { pool.withLock { $0.free.add(frame) } }

    /// Gives back frames that were lent, but not published.
    func giveBack(lent frames: some Collection<Int>) {
        guard !frames.isEmpty else { return }
        for frame in frames { region.clearIdentity(frame) }
        pool.withLock { pool in
            for frame in frames { pool.free.add(frame) }
            pool.lentCount -= frames.count
        }
    }

    /// Lets others find a frame, whose content is complete.
    ///
    /// To be called inside an epoch.
    ///
    /// - Returns: the content: of this frame, or of the one in which another thread was faster.
    func publish(_ frame: Int, _ pointer: PagePointer) -> ByteView {
        let (content, former) = place(frame, pointer, isOwn: false)
        if let former { retire([former]) }
        return content
    }

    /// Takes the frames of pages that a commit has superseded, and lets readers find the frames in
    /// which the writer has made its pages.
    ///
    /// To be called outside any epoch.
    func publish(lent pages: [(frame: Int, pointer: PagePointer)], superseded: [UInt64]) {
        invariant(!Epoch.isInside, "a commit's frames are published outside any epoch")
        var retired: [Int] = []
        // Before the new pages come, which may have their numbers.
        for number in superseded {
            let word = table.load(number)
            if word != 0, table.exchange(word, for: 0, at: number) {
                retired.append(region.frame(named: word))
            }
        }
        for (frame, pointer) in pages {
            // An epoch for each: others may wait until it ends.
            Epoch.enter()
            if let former = place(frame, pointer, isOwn: true).former { retired.append(former) }
            Epoch.leave()
        }
        retire(retired)
        let limboCount = pool.withLock { pool in
            pool.lentCount -= pages.count
            return pool.limbo.count
        }
        if limboCount >= limboLimit { hand.withLockIfAvailable { _ in release() } }
    }

    /// Names what a frame holds, to the frame and to the table.
    ///
    /// - Parameter isOwn: whether this process has made the content, and not opened it.
    /// - Returns: the page's content, and a frame that the table does not name, to be retired: this
    ///   one, where another thread was faster.
    private func place(
        _ frame: Int, _ pointer: PagePointer, isOwn: Bool
    ) -> (content: ByteView, former: Int?) {
        // From here on a lookup at home finds it, so it can only be retired, not given back.
        let block = region.identify(
            frame, number: pointer.number, check: pointer.check, isOwn: isOwn)
        if let block { collapse(block) }
        while true {
            let former = table.load(pointer.number)
            if let content = content(named: former, pointer) { return (content, frame) }
            let content = region.writableContent(frame).view
            if table.exchange(former, for: region.name(frame), at: pointer.number) {
                return (content, former == 0 ? nil : region.frame(named: former))
            }
            // No memory for the table: the frame serves this operation alone.
            if former == 0, table.load(pointer.number) == 0 { return (content, frame) }
        }
    }

    /// Moves a block into a huge page while nobody waits for it: a writer may be the one who filled
    /// it.
    private func collapse(_ block: Int) {
        Self.tidying.async { [weak self] in self?.region.collapse(block) }
    }

    /// Empties every frame; a lookup that comes late finds none.
    func wipe() { region.wipe() }

    /// Puts frames into limbo that the table does not name any more.
    func retire(_ frames: [Int]) {
        guard !frames.isEmpty else { return }
        for frame in frames { region.clearIdentity(frame) }
        pool.withLock { $0.limbo += frames }
    }

    /// Frees the frames in limbo, but for those that a cursor or a closure still reads.
    func release() {
        let candidates = pool.withLock { pool in
            defer { pool.limbo.removeAll(keepingCapacity: true) }
            return pool.limbo
        }
        guard !candidates.isEmpty else { return }
        invariant(!Epoch.isInside, "nobody waits within an epoch until epochs have ended")
        Epoch.synchronize()
        let isInUse = candidates.map { Epoch.isHeld(region.name($0)) }
        pool.withLock { pool in
            for (frame, isInUse) in zip(candidates, isInUse) {
                if isInUse { pool.limbo.append(frame) } else { pool.free.add(frame) }
            }
        }
    }

    /// Puts frames into limbo that were not looked at for a turn of the clock's hand.
    private func unlink(_ hand: inout Int) {
        let goal = min(max(region.frameCount / 32, 16), 1024)
        var unlinked: [Int] = []
        // Twice around: the first turn may only have taken marks away.
        for _ in 0..<2 * region.frameCount where unlinked.count < goal {
            let frame = hand
            hand = (hand + 1) % region.frameCount
            if region.takeReferenced(frame) { continue }
            let word = region.name(frame)
            // Frames in limbo are not in the table, so none is taken twice.
            if table.exchange(word, for: 0, at: region.number(frame)) { unlinked.append(frame) }
        }
        retire(unlinked)
    }
}
