internal import Glibc
internal import Synchronization

/// Where this process's secrets lie: locked memory that no core dump holds, and that a forked child
/// does not have.
///
/// Most secrets have a few dozen bytes and are short-lived. They share blocks, so that a secret
/// costs no system call and no page of its own. A large secret has a mapping of its own. If the
/// kernel offers memfd_secret(2), the memory comes from there, and not even the kernel maps it;
/// otherwise it is locked anonymous memory. A child would share memfd_secret memory: it could read
/// and write its parent's keys, because the kernel cannot wipe shared memory for the child alone.
/// So a child gets neither kind of memory (MADV_DONTFORK), and makes an arena of its own.
///
/// Any number of threads may call at once. Memory that is taken is always zero, because secrets
/// wipe it before they give it back.
@safe package final class SecretArena: Sendable {
    /// How much memory the arena maps at once for small secrets, which share it.
    package static let blockByteCount = 64 << 10
    /// The maximum number of bytes that a secret can take in such a block.
    package static let sharedByteLimit = blockByteCount / 4

    private let sentinel: ForkSentinel
    private let state = Mutex(State())

    /// A block, and its free parts.
    private struct Space {
        let block: SecretBlock
        var free: FreeRanges

        init(_ block: SecretBlock) {
            self.block = block
            free = FreeRanges(0..<block.byteCount)
        }

        var isEmpty: Bool { free.ranges.first?.count == block.byteCount }
    }

    private struct State {
        var spaces: [Space] = []
        var usedByteCount = 0
        var peakByteCount = 0
        var secretCount = 0
    }

    private init(_ sentinel: ForkSentinel) { self.sentinel = sentinel }

    /// Whether this process made the arena itself, rather than being a child of the one that did.
    var isHere: Bool { sentinel.isOriginal }

    /// The arena of this process; in a forked child, the parent's arena until the child makes one.
    ///
    /// It is never released, because it may hold secrets at any time.
    private static let known = unsafe Atomic<Unmanaged<SecretArena>?>(nil)

    /// The arena of this process.
    static func here() throws(MemoryError) -> SecretArena {
        let known = unsafe Self.known.load(ordering: .acquiring)
        // SAFETY: never released once it is stored here.
        if let arena = unsafe known?.takeUnretainedValue(), arena.isHere { return arena }
        guard let sentinel = ForkSentinel() else { throw MemoryError(errno: ENOMEM) }
        let fresh = unsafe Unmanaged.passRetained(SecretArena(sentinel))
        let (isOurs, other) = unsafe Self.known.compareExchange(
            expected: known, desired: fresh, ordering: .acquiringAndReleasing)
        if !isOurs, let other = unsafe other {
            // Another thread of this process was faster.
            unsafe fresh.release()
            return unsafe other.takeUnretainedValue()
        }
        return unsafe fresh.takeUnretainedValue()
    }

    /// Takes `count` zeroed bytes, a multiple of 16; returns their block, and their offset in it.
    func take(
        _ count: Int, _ policy: SecretMemory.Policy
    ) throws(MemoryError) -> (block: SecretBlock, offset: Int) {
        try state.withLock { state throws(MemoryError) in
            let place = try place(count, policy, &state)
            state.usedByteCount += count
            state.peakByteCount = max(state.peakByteCount, state.usedByteCount)
            state.secretCount += 1
            return place
        }
    }

    private func place(
        _ count: Int, _ policy: SecretMemory.Policy, _ state: inout State
    ) throws(MemoryError) -> (block: SecretBlock, offset: Int) {
        let isLarge = count > Self.sharedByteLimit
        for index in isLarge ? 0..<0 : state.spaces.indices {
            let block = state.spaces[index].block
            guard !block.isLarge, block.isLocked || policy == .bestEffort else { continue }
            if let offset = state.spaces[index].free.take(count) { return (block, offset) }
        }
        var space = Space(try makeBlock(count, isLarge, policy))
        guard let offset = space.free.take(count) else {
            preconditionFailure("a new block has room")
        }
        state.spaces.append(space)
        return (space.block, offset)
    }

    /// Maps a block with room for `count` bytes.
    private func makeBlock(
        _ count: Int, _ isLarge: Bool, _ policy: SecretMemory.Policy
    ) throws(MemoryError) -> SecretBlock {
        let kinds: [SecretBlock.Kind] = SecretMemory.mayHide ? [.hidden, .locked] : [.locked]
        let least = count.roundedUp(toMultipleOf: machinePageByteCount)
        let wanted = isLarge ? least : max(least, Self.blockByteCount)
        do throws(MemoryError) {
            return try SecretBlock(self, byteCount: wanted, isLarge: isLarge, kinds: kinds)
        } catch {
            // If the lock limit is low, it may still suffice for just what is needed.
            if error.isOfLocking, least < wanted,
                let block = try? SecretBlock(self, byteCount: least, isLarge: false, kinds: kinds)
            {
                return block
            }
            guard error.isOfLocking, policy == .bestEffort else { throw error }
            return try SecretBlock(self, byteCount: wanted, isLarge: isLarge, kinds: [.loose])
        }
    }

    /// Takes back bytes that have been zeroed.
    func giveBack(_ range: Range<Int>, of block: SecretBlock, wasIntact: Bool) {
        state.withLock { state in
            guard let index = state.spaces.firstIndex(where: { $0.block === block }) else {
                preconditionFailure("a block is known while somebody has a part of it")
            }
            state.spaces[index].free.giveBack(range)
            state.usedByteCount -= range.count
            if wasIntact { state.secretCount -= 1 }
            guard state.spaces[index].isEmpty else { return }
            // One empty block is kept, for the next secret.
            let isKept =
                !block.isLarge
                && !state.spaces.contains {
                    $0.block !== block && !$0.block.isLarge && $0.isEmpty
                }
            if !isKept { state.spaces.remove(at: index) }
        }
    }

    /// Stops counting a secret that was wiped before its `deinit`.
    func noteWiped() { state.withLock { $0.secretCount -= 1 } }
}

extension SecretArena {
    /// The present use of secret memory in this process.
    package static var statistics: SecretStatistics {
        guard let arena = try? here() else { return SecretStatistics() }
        return arena.state.withLock { state in
            var statistics = SecretStatistics()
            statistics.usedByteCount = state.usedByteCount
            statistics.peakByteCount = state.peakByteCount
            statistics.secretCount = state.secretCount
            for block in state.spaces.map(\.block) {
                if block.isLocked { statistics.lockedByteCount += block.byteCount }
                if block.kind == .hidden { statistics.hiddenByteCount += block.byteCount }
                if !block.isLocked { statistics.looseByteCount += block.byteCount }
            }
            return statistics
        }
    }
}
