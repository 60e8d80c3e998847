internal import BullaMemory
internal import Synchronization

/// An index of the changes in one half of the log, in private memory, with versions.
///
/// For each changed key of each tree, the memtable gives the current value, or says that the key is
/// gone; for all other keys, the tree beneath decides. One writer at a time makes a new version
/// from the newest one (``edit()``). Threads that hold a version search and scan it meanwhile,
/// without a lock, because what a published version sees never changes.
///
///     directory   numbers of trees -> roots      usually one small page
///     branches    heads, keys -> pages           each belongs to one tree
///     leaves      heads, keys -> operations
///     operations  keys and values, which stay where they were written
///     filter      keys that were ever put in     one for all versions
///
/// Nothing is ever removed, so the newest version holds every key that an older one holds. The
/// whole memtable is dropped when its half of the log has been merged into the trees.
///
/// Its memory is not in core dumps, is empty in a forked child, and goes back to the system when
/// the memtable goes away.
package final class Memtable: @unchecked Sendable {
    // `@unchecked`: the writer's state belongs to the one edit that is under way; readers see only
    // what has been published.

    package let memory: MemtableMemory
    let versions: HeldVersions
    let space: MemtableSpace
    /// The writer's state between two edits; `nil` during an edit.
    private var writer: MemtableWriter?

    /// Two figures of ``statistics``, as of the end of the last edit or ``reclaim()``.
    private let pageCount = Atomic<Int>(0)
    private let operationByteCount = Atomic<Int>(0)

    /// How many bytes the memtable's index can take; its operations can take as many again.
    package let byteLimit: Int

    /// The limits that a memtable can have; references of 4 bytes reach no further than the
    /// greatest limit.
    package static let byteLimits = 64 << 10...4 << 30

    /// - Parameters:
    ///   - byteLimit: a limit within ``byteLimits``, which holds for the index, and separately for
    ///     the operations; address space for both is taken right away, memory only as it is used.
    ///   - expectedByteCount: the memtable's usual size, which determines the size of the filter;
    ///     if it is `nil`, `byteLimit` determines that.
    package init(byteLimit: Int, expectedByteCount: Int? = nil) throws(MemtableError) {
        precondition(Self.byteLimits.contains(byteLimit), "a memtable has a size that it can have")
        let filterByteCount = MemtableFilter.byteCount(
            forMemtableOf: min(expectedByteCount ?? byteLimit, byteLimit))
        do throws(MemoryError) {
            memory = try MemtableMemory(byteLimit: byteLimit, filterByteCount: filterByteCount)
            space = MemtableSpace(
                pages: memory.pages.bytes, operations: memory.operations.bytes,
                filter: MemtableFilter(memory.filter.bytes, byteCount: filterByteCount))
            versions = try HeldVersions()
        } catch { throw .memory(error) }
        self.byteLimit = byteLimit
        writer = MemtableWriter(byteLimit: byteLimit)
    }

    /// The version that was published last.
    @inline(__always)
    package var newest: MemtableVersion { versions.newest }

    /// The oldest version that a thread can still begin to hold.
    @inline(__always)
    package var settled: MemtableVersion { versions.settled }

    /// Gives up the versions before this one: no thread can begin to hold them.
    ///
    /// Threads that already hold one keep it until they let it go.
    ///
    /// Call it on any thread, once all commits in this version are durable. From then on, nobody
    /// will ask for an older version. Until it is called, pages that only older versions see are
    /// not reused.
    package func settle(_ version: MemtableVersion) { versions.settle(version) }

    /// Holds a version; `nil` if it was given up because a newer one is settled.
    package func hold(_ version: MemtableVersion) throws(MemtableError) -> HeldVersion? {
        guard !version.isEmpty else { return holdNothing() }
        guard let slot = try versions.hold(version) else { return nil }
        return HeldVersion(self, version, slot: slot)
    }

    /// Holds an empty version.
    package func holdNothing() -> HeldVersion { HeldVersion(self, .empty, slot: nil) }

    /// Begins a new version, from the newest one.
    ///
    /// There is one edit at a time: the caller holds the lock that ensures this.
    ///
    /// - Parameter pageByteLimit: how many bytes of never-used index pages the edit can take.
    package func edit(pageByteLimit: Int = .max) throws(MemtableError) -> MemtableEdit {
        guard var writer else { preconditionFailure("a memtable has one edit at a time") }
        guard newest.stamp < .max else { throw .versionsUsedUp }
        self.writer = nil
        writer.limitEdit(toPageBytes: pageByteLimit)
        return MemtableEdit(self, writer)
    }

    /// Whether, even after ``reclaim()``, more than `byteCount` bytes of pages wait for commits to
    /// become durable; must not be called during an edit.
    func isCrowded(above byteCount: Int) -> Bool {
        guard let pages = writer?.pages, pages.isWaiting(above: byteCount) else { return false }
        reclaim()
        return writer?.pages.isWaiting(above: byteCount) ?? false
    }

    /// Frees all pages that no version sees; must not be called during an edit.
    ///
    /// Edits free what they need by themselves.
    package func reclaim() {
        guard var writer else { preconditionFailure("pages are reclaimed between edits") }
        self.writer = nil
        writer.pages.look(space, versions, atAll: true)
        takeBack(writer)
    }

    /// Ends an edit.
    func takeBack(_ writer: MemtableWriter) {
        pageCount.store(writer.pages.usedCount, ordering: .relaxed)
        operationByteCount.store(writer.operationEnd, ordering: .relaxed)
        memory.noteByteCount(of: writer)
        self.writer = writer
    }

    /// How much memory the memtable takes, as of the end of the last edit.
    package var statistics: MemtableStatistics {
        MemtableStatistics(
            pageCount: pageCount.load(ordering: .relaxed), pageByteCount: IndexPageLayout.byteCount,
            operationByteCount: operationByteCount.load(ordering: .relaxed),
            byteCount: memory.byteCount)
    }

    /// Zeroes every byte, so that versions that somebody still holds find nothing any more.
    package func wipe() { memory.wipe() }
}

/// How much memory a memtable takes.
package struct MemtableStatistics: Equatable {
    /// Index pages that some version sees, or that the writer does not know to be free yet.
    package let pageCount: Int
    package let pageByteCount: Int
    /// Keys and values, including those that were overwritten.
    package let operationByteCount: Int
    /// All memory that was ever used.
    package let byteCount: Int
}

/// A version, which stays unchanged as long as this value lives.
package struct HeldVersion: ~Copyable, Sendable {
    private let memtable: Memtable
    private let slot: Int?
    package let version: MemtableVersion

    init(_ memtable: Memtable, _ version: MemtableVersion, slot: Int?) {
        (self.memtable, self.version, self.slot) = (memtable, version, slot)
    }

    /// The version's changes.
    @inline(__always)
    package var view: MemtableView { MemtableView(space: memtable.space, root: version.root) }

    deinit {
        if let slot { memtable.versions.release(slot) }
    }
}
