internal import Glibc
internal import Synchronization

/// Limits the memory for cleartext that is lent to callers.
///
/// A process can lock only a little memory (8 MiB is usual), and keys need a part of it. So each
/// lender of cleartext has a limit.
package final class SecretBudget: Sendable {
    /// A quarter of what a process can usually lock.
    package static let defaultByteCount = 2 << 20

    /// How many bytes can be in use at once.
    package let byteCount: Int
    private let used = Atomic(0)

    package init(byteCount: Int = defaultByteCount) { self.byteCount = byteCount }

    /// How many bytes are in use.
    package var usedByteCount: Int { used.load(ordering: .relaxed) }

    /// Takes `count` bytes of the budget; the caller must give them back.
    ///
    /// - Throws: ``MemoryError`` if fewer are left.
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
