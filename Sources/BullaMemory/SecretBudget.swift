internal import Glibc
internal import Synchronization

/// How much memory may be taken for cleartext that is lent to callers.
///
/// What a process may lock is little (8 MiB is usual), and keys need a part of it: so what is lent
/// has a limit of its own, that of whoever lends.
package final class SecretBudget: Sendable {
    /// A quarter of what a process usually may lock.
    package static let defaultByteCount = 2 << 20

    /// How many bytes may be in use at once.
    package let byteCount: Int
    private let used = Atomic(0)

    package init(byteCount: Int = defaultByteCount) { self.byteCount = byteCount }

    /// How many bytes are in use.
    package var usedByteCount: Int { used.load(ordering: .relaxed) }

    /// Takes `count` bytes of it, to be given back.
    ///
    /// - Throws: ``MemoryError`` where fewer are left.
    func take(_ count: Int) throws(MemoryError) {
        var known = used.load(ordering: .relaxed)
        while true {
            guard count <= byteCount - known else {
                throw MemoryError(errno: ENOMEM, reason: .budget(limit: byteCount, used: known))
            }
            let (isTaken, now) = used.weakCompareExchange(
                expected: known, desired: known + count, ordering: .relaxed)
            if isTaken { return }
            known = now
        }
    }

    func giveBack(_ count: Int) { used.subtract(count, ordering: .relaxed) }
}
