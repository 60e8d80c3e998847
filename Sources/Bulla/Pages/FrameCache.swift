internal import BullaCipher
internal import BullaMemory
internal import Dispatch
internal import Synchronization

/// Opened pages kept in memory, found by their pointer without a lock.
///
/// A page's number determines its home frame. The page lies there, unless that frame was in use or
/// a writer made the page in another frame. Wherever the page lies, the table names its frame if
/// the frame is one of this process's own. Each frame names the page version that it holds. So a
/// lookup that tries the wrong frame, or reads a stale word of the table, sees another page or
/// version there, and counts as a miss.
final class FrameCache: Sendable {
    let table: WordTable
    /// The frames in which lookups expect pages: those of this process, or the shared ones.
    let homes: FrameHomes
    /// This process's own frames.
    let region: FrameRegion
    /// The frames that this process shares with other workers; `nil` if it shares none.
    ///
    /// Even with shared frames, a page lies in a frame of this process if a writer makes it, or if
    /// no shared frame can be used for it.
    let shared: SharedFrames?
    /// Threads also take this lock inside operations, so a thread that holds it must not wait for
    /// operations to end.
    let pool: Mutex<Pool>
    /// The hand of the clock algorithm; one thread at a time moves it.
    ///
    /// Threads take this lock only outside operations.
    private let hand = Mutex(0)

    /// Frames that are free, or soon will be.
    struct Pool: ~Copyable {
        /// Frames that hold no page and that no thread reads.
        var free: FreeFrames
        /// Frames that the table no longer names, but that a thread may still read.
        var limbo: [Int] = []
        /// How many frames writers hold, for pages that they change.
        var lentCount = 0
        /// The lowest block that a large transaction has reached; memory in lower blocks is cold.
        var lowestBlock = Int.max
    }

    private enum Limit {
        /// With fewer frames for readers, a few cursors could hold all of them.
        static let readersMinimum = 64
        static let writersMinimum = 16
        /// After this many lookups, a page that lies away from its home has cost about as much
        /// extra time as opening it again would take.
        static let awayCount: UInt64 = 64
        /// How many times a thread tries to claim a frame, because others may take the frames that
        /// it frees.
        static let claimCount = 16
    }

    static let frameCountMinimum = Limit.readersMinimum + 2 * Limit.writersMinimum

    /// Frames of superseded pages become free in batches of this size, which is so small that
    /// writers reuse the frames' memory while it is warm.
    private var limboLimit: Int { min(128, region.frameCount / 8) }

    /// How many frames writers may hold; readers cannot use the frames that writers hold.
    private var lentLimit: Int { (region.frameCount - Limit.readersMinimum) / 2 }

    /// Stands in for the page number in a frame that a writer holds.
    ///
    /// The mark is random, so that no pointer has it as its page number, not even one in a forged
    /// file.
    private let lentMark: UInt64

    init(
        pageByteCount: Int, byteLimit: Int, shared: SharedFrames?
    ) throws(BullaError) {
        let count = max(byteLimit / pageByteCount, Self.frameCountMinimum)
        do { lentMark = try KernelRandom.uint64() | 1 << 63 } catch {
            throw BullaError.cipher("draw random bytes", error)
        }
        do {
            table = try WordTable()
            let region = try Self.reserve(count, pageByteCount)
            homes = shared?.homes ?? region.homes
            pool = Mutex(Pool(free: try FreeFrames(count: region.frameCount)))
            self.region = region
        } catch { throw BullaError.memory("reserve a cache of \(count) pages", error) }
        self.shared = shared
    }

    /// Reserves as many frames as requested; if address space is short, reserves far fewer, because
    /// other parts of the process need address space too.
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

    /// The page's content, if it is in the cache.
    ///
    /// Call this inside an epoch.
    @inline(__always)
    func content(_ pointer: PagePointer) -> ByteView? {
        if let content = homes.contentAtHome(number: pointer.number, check: pointer.check) {
            return content
        }
        return contentAway(pointer)
    }

    /// The page's content, if it is in the cache, but not in its home frame.
    ///
    /// If such a page is read often while its home is free, this removes it from the cache and
    /// returns `nil`, and the caller opens the page again, into its home.
    @inline(never)
    private func contentAway(_ pointer: PagePointer) -> ByteView? {
        let word = table.load(pointer.number)
        guard shared == nil else { return contentOutsideHome(word, pointer) }
        guard let content = homes.content(named: word, pointer) else { return nil }
        let frame = region.homes.frame(named: word)
        guard region.countLook(frame, limit: Limit.awayCount),
            region.isEmpty(homes.home(pointer.number)),
            table.exchange(word, for: 0, at: pointer.number)
        else { return content }
        retire([frame])
        return nil
    }

    /// Copies a page's content, if it is in the cache, for a writer that is about to supersede the
    /// page.
    ///
    /// The lookup asks the table at once, and does not try the home frame (the frame that a page's
    /// number determines) first: a page that a writer made usually lies elsewhere. If no thread has
    /// read the page since this process made it, none is likely to read it now, so the cache frees
    /// the frame. A page that is changed again and again thus takes up the memory of only one page.
    ///
    /// - Returns: whether this process made the content itself; `nil` if the cache lacks the page.
    func copy(_ pointer: PagePointer, into target: MutableByteView) -> Bool? {
        Epoch.enter()
        let word = table.load(pointer.number)
        guard let content = peek(word, pointer) else {
            Epoch.leave()
            return nil
        }
        target.copy(content, to: 0)
        // Ask only a frame of this process whether this process made the content; a shared frame's
        // answer would prove nothing, because other processes can write to it.
        let name = FrameRegion.name(ofContent: content)
        let frame = region.frame(ifNamed: name)
        let isOwn = frame != nil && FrameRegion.isOwn(content)
        let isWanted = frame.map { !region.isUnseen($0) } ?? true
        Epoch.leave()
        if !isWanted, let frame, table.exchange(name, for: 0, at: pointer.number) {
            retire([frame])
        }
        return isOwn
    }

    @inline(__always)
    func prefetch(_ pointer: PagePointer, lineCount: Int) {
        homes.prefetchHome(number: pointer.number, lineCount: lineCount)
    }

    /// Takes a frame to open a page into, if possible the page's home; `nil` if all frames are
    /// held.
    ///
    /// Call this outside any epoch: it may wait until operations of other threads have ended.
    func claim(for pointer: PagePointer) -> Int? {
        if let claim = shared?.claim(for: pointer) {
            return claim.number(after: region.frameCount)
        }
        let home = region.homes.home(pointer.number)
        return claim { $0.take(preferring: home) }
    }

    /// Takes a frame for a page that a writer changes; no lookup finds the frame before it is
    /// published.
    ///
    /// The frame is not necessarily the page's home, because the cache prefers frames whose memory
    /// was used before.
    ///
    /// Call this outside any epoch.
    ///
    /// - Returns: `nil` if writers hold as many frames as they may, or if all frames are held.
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

    /// The block of a frame, if a large transaction is the first to reach that block and will fill
    /// it.
    ///
    /// Unused frames are lent from the highest down.
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
        for _ in 0..<Limit.claimCount {
            let (frame, limboCount) = pool.withLock { pool in
                (take(&pool.free), pool.limbo.count)
            }
            if let frame {
                if limboCount >= limboLimit { hand.withLockIfAvailable { _ in release() } }
                return frame
            }
            hand.withLock { hand in
                // Another thread may have freed frames while this one waited.
                guard pool.withLock({ $0.free.isEmpty }) else { return }
                release()
                guard pool.withLock({ $0.free.isEmpty }) else { return }
                unlink(&hand)
                release()
            }
        }
        return nil
    }

    static let tidying = DispatchQueue(label: "bulla.cache", qos: .utility)

    func writableContent(_ frame: Int) -> MutableByteView {
        if let shared, let claim = SharedFrames.Claim(number: frame, after: region.frameCount) {
            return shared.writableContent(claim)
        }
        return region.homes.writableContent(frame)
    }

    /// Returns a frame that was claimed but not published.
    func giveBack(_ frame: Int) {
        if let shared, let claim = SharedFrames.Claim(number: frame, after: region.frameCount) {
            return shared.giveBack(claim)
        }
        pool.withLock { $0.free.add(frame) }
    }

    /// Returns frames that were lent but not published.
    func giveBack(lent frames: some Collection<Int>) {
        guard !frames.isEmpty else { return }
        for frame in frames { region.clearIdentity(frame) }
        pool.withLock { pool in
            for frame in frames { pool.free.add(frame) }
            pool.lentCount -= frames.count
        }
    }

    /// Publishes a frame whose content is complete.
    ///
    /// Call this inside an epoch.
    ///
    /// - Returns: the content of this frame, or of the frame in which another thread published the
    ///   page first.
    func publish(_ frame: Int, _ pointer: PagePointer) -> ByteView {
        if let shared, let claim = SharedFrames.Claim(number: frame, after: region.frameCount) {
            return publish(claim, pointer, shared)
        }
        let (content, former) = place(frame, pointer, isOwn: false)
        if let former { retire([former]) }
        return content
    }

    /// Removes the pages that a commit superseded, and publishes the frames in which the writer
    /// made its pages.
    ///
    /// Call this outside any epoch.
    func publish(lent pages: [(frame: Int, pointer: PagePointer)], superseded: [UInt64]) {
        invariant(!Epoch.isInside, "a commit's frames are published outside any epoch")
        var retired: [Int] = []
        // Do this before publishing, because the new pages may have the same numbers.
        for number in superseded {
            let word = table.load(number)
            guard let frame = region.frame(ifNamed: word) else { continue }
            if table.exchange(word, for: 0, at: number) { retired.append(frame) }
        }
        for (frame, pointer) in pages {
            // Enter a separate epoch for each page, because other threads may wait for the epoch to
            // end.
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

    /// Records the page in the frame's identity, and the frame in the table.
    ///
    /// - Parameter isOwn: whether this process made the content instead of opening it.
    /// - Returns: the page's content, and a frame that the caller must retire, because the table
    ///   does not name it: the page's former frame, or this one if another thread was faster or the
    ///   table has no memory left.
    private func place(
        _ frame: Int, _ pointer: PagePointer, isOwn: Bool
    ) -> (content: ByteView, former: Int?) {
        // From here on, if the frame is the page's home, a lookup can find it. So the frame can
        // only be retired, not given back.
        let block = region.identify(
            frame, number: pointer.number, check: pointer.check, isOwn: isOwn)
        if let block { collapse(block) }
        while true {
            let former = table.load(pointer.number)
            if let content = homes.content(named: former, pointer) { return (content, frame) }
            let content = region.homes.writableContent(frame).view
            if table.exchange(former, for: region.name(frame), at: pointer.number) {
                return (content, region.frame(ifNamed: former))
            }
            // The table has no memory left, so the frame serves this operation alone.
            if former == 0, table.load(pointer.number) == 0 { return (content, frame) }
        }
    }

    /// Lets another thread move a block into a huge page, so that the writer that filled the block
    /// need not wait.
    private func collapse(_ block: Int) {
        Self.tidying.async { [weak self] in self?.region.collapse(block) }
    }

    /// Wipes this process's frames, and leaves the pool of shared ones; later lookups find nothing.
    func wipe() {
        region.wipe()
        shared?.leave()
    }

    /// Puts frames that the table no longer names into limbo.
    func retire(_ frames: [Int]) {
        guard !frames.isEmpty else { return }
        for frame in frames { region.clearIdentity(frame) }
        pool.withLock { $0.limbo += frames }
    }

    /// Frees the frames in limbo, except those that a cursor or a closure still reads.
    func release() {
        let candidates = pool.withLock { pool in
            defer { pool.limbo.removeAll(keepingCapacity: true) }
            return pool.limbo
        }
        guard !candidates.isEmpty else { return }
        invariant(!Epoch.isInside, "no thread waits inside an epoch until epochs have ended")
        Epoch.synchronize()
        let isInUse = candidates.map { Epoch.isHeld(region.name($0)) }
        pool.withLock { pool in
            for (frame, isInUse) in zip(candidates, isInUse) {
                if isInUse { pool.limbo.append(frame) } else { pool.free.add(frame) }
            }
        }
    }

    /// Moves into limbo some frames that no thread has read since the clock's hand last passed
    /// them.
    private func unlink(_ hand: inout Int) {
        let goal = min(max(region.frameCount / 32, 16), 1024)
        var unlinked: [Int] = []
        // Go around twice: if every frame is marked as read, the first round only clears the marks.
        for _ in 0..<2 * region.frameCount where unlinked.count < goal {
            let frame = hand
            hand = (hand + 1) % region.frameCount
            if region.homes.takeReferenced(frame) { continue }
            let word = region.name(frame)
            // Frames in limbo are not in the table, so none is taken twice.
            if table.exchange(word, for: 0, at: region.number(frame)) { unlinked.append(frame) }
        }
        retire(unlinked)
    }
}
