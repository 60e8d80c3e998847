internal import BullaMemory

/// Records which versions of a memtable are being read.
///
/// Two words say which versions may be held, and a slot for each holder says which one is held:
///
///     word      written by    read by            meaning
///     newest    the writer    holders, writer    the version published last
///     settled   any thread    holders, writer    a durable version; older ones get no new holder
///     reach     holders       writer             no slot from here on was ever used
///     hint      holders       holders            a slot may be free here
///     slot[i]   its holder    writer             the version held; 0 for none
///
/// A holder writes a version into a slot, and then reads `settled`. The writer reads `settled`, and
/// then the slots. Both the holder and the writer have a fence between their two steps, so either
/// the writer sees the slot, or the holder sees that the version was given up. So the writer can
/// reuse a page once every version that sees the page is older than `settled` and named by no slot.
struct HeldVersions: ~Copyable, Sendable {
    private let region: AnonymousRegion
    private let words: SharedWords

    private static let newest = 0
    private static let settled = 64
    private static let reach = 128
    private static let hint = 136
    private static let slots = 192
    /// The number of places at which threads begin to look for a slot.
    private static let laneCount = 16
    private static let laneSlotCount = 8
    /// How many holders there can be at once: enough for all the readers that one file can have,
    /// plus a writer and a checkpoint.
    static let limit = 1 << 16 | laneCount * laneSlotCount

    init() throws(MemoryError) {
        region = try AnonymousRegion(byteCount: Self.slots + Self.limit * 8)
        words = SharedWords(region.bytes)
        words.storeRelaxed(UInt64(Self.laneCount * Self.laneSlotCount), Self.reach)
    }

    @inline(__always)
    var newest: MemtableVersion { MemtableVersion(word: words.loadAcquire(Self.newest)) }

    @inline(__always)
    var settled: MemtableVersion { MemtableVersion(word: words.loadAcquire(Self.settled)) }

    func publish(_ version: MemtableVersion) { words.storeRelease(version.word, Self.newest) }

    /// Gives up the versions before this one: no thread can begin to hold them.
    ///
    /// Threads that hold one keep it until they let it go.
    func settle(_ version: MemtableVersion) {
        while true {
            let known = settled
            guard known.stamp < version.stamp else { return }
            if words.exchange(known.word, for: version.word, Self.settled) { return }
        }
    }

    /// Holds a version that was published.
    ///
    /// - Returns: the holder's slot; `nil` if the version has been given up.
    func hold(_ version: MemtableVersion) throws(MemtableError) -> Int? {
        let slot = try takeSlot(version)
        fullFence()
        guard settled.stamp <= version.stamp else {
            release(slot)
            return nil
        }
        return slot
    }

    func release(_ slot: Int) { words.storeRelease(0, Self.offset(slot)) }

    private static func offset(_ slot: Int) -> Int { slots + slot * 8 }

    private func takeSlot(_ version: MemtableVersion) throws(MemtableError) -> Int {
        let lane = ThreadHint.number % Self.laneCount * Self.laneSlotCount
        for slot in lane..<lane + Self.laneSlotCount where take(slot, version) { return slot }
        let first = Int(words.loadRelaxed(Self.hint))
        for step in 0..<Self.limit {
            let slot = (first + step) % Self.limit
            guard take(slot, version) else { continue }
            words.storeRelaxed(UInt64(slot), Self.hint)
            return slot
        }
        throw .tooManyHeld(limit: Self.limit)
    }

    @inline(__always)
    private func take(_ slot: Int, _ version: MemtableVersion) -> Bool {
        guard words.loadRelaxed(Self.offset(slot)) == 0 else { return false }
        // Do this before the slot is used, because the writer does not look beyond the reach.
        raiseReach(to: UInt64(slot) + 1)
        return words.exchange(0, for: version.word, Self.offset(slot))
    }

    private func raiseReach(to wanted: UInt64) {
        while true {
            let known = words.loadAcquire(Self.reach)
            if known >= wanted || words.exchange(known, for: wanted, Self.reach) { return }
        }
    }

    /// Returns the number of the settled version, and puts the numbers of the held versions into
    /// `stamps`, in ascending order.
    ///
    /// Of the versions before the settled one, only those that are held can still be read.
    func look(_ stamps: inout [UInt32]) -> UInt32 {
        let settled = settled.stamp
        fullFence()
        stamps.removeAll(keepingCapacity: true)
        for slot in 0..<Int(words.loadAcquire(Self.reach)) {
            let word = words.loadAcquire(Self.offset(slot))
            if word != 0 { stamps.append(MemtableVersion(word: word).stamp) }
        }
        if stamps.count > 1 { stamps.sort() }
        return settled
    }
}
