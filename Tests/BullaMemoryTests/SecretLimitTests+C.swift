import BullaMemory
import Foundation
import Glibc
import Testing

/// Each test has a process of its own, which may lock only little memory.
@Suite struct `Memory for secrets that may not be locked` {
    @Test func `is refused, and the limit is told`() async {
        await #expect(processExitsWith: .success) {
            LockLimit.lower(to: 0)
            for byteCount in [64, 1 << 20] {
                let error = #expect(throws: MemoryError.self) {
                    _ = try SecretBytes(byteCount: byteCount)
                }
                #expect(error?.reason == .cannotLock(limit: 0))
                #expect(error?.isOfLocking == true && error?.isShortage == false)
                #expect(
                    error?.description == "memory for keys cannot be locked: "
                        + "the limit is 0 bytes (RLIMIT_MEMLOCK)")
            }
            #expect(SecretArena.statistics == SecretStatistics())
        }
    }

    @Test func `is taken if the best effort suffices, and never if more is required`()
        async
    {
        await #expect(processExitsWith: .success) {
            LockLimit.lower(to: 0)
            SecretMemory.policy = .bestEffort
            let secret = try SecretBytes(byteCount: 64)
            let large = try SecretBytes(byteCount: 1 << 20)
            let statistics = SecretArena.statistics
            #expect(statistics.lockedByteCount == 0 && statistics.hiddenByteCount == 0)
            #expect(statistics.looseByteCount > SecretArena.blockByteCount + 1 << 20)
            SecretMemory.policy = .required
            #expect(throws: MemoryError.self) { _ = try SecretBytes(byteCount: 64) }
            let areIntact = secret.isIntact && large.isIntact
            #expect(areIntact)
        }
    }

    @Test func `is locked as far as a small limit goes`() async {
        await #expect(processExitsWith: .success) {
            LockLimit.lower(to: 16 << 10)
            let secret = try SecretBytes(byteCount: 64)
            #expect(SecretArena.statistics.lockedByteCount == machinePageByteCount)
            // Another secret fits next to it.
            let other = try SecretBytes(byteCount: 64)
            #expect(SecretArena.statistics.lockedByteCount == machinePageByteCount)
            let error = #expect(throws: MemoryError.self) {
                _ = try SecretBytes(byteCount: 16 << 10)
            }
            #expect(error?.reason == .cannotLock(limit: 16 << 10))
            let areIntact = secret.isIntact && other.isIntact
            #expect(areIntact)
        }
    }

    @Test(arguments: [true, false])
    func `is counted against the limit, hidden or not`(mayHide: Bool) async {
        await #expect(processExitsWith: .success) { [mayHide] in
            LockLimit.lower(to: 1 << 20)
            SecretMemory.mayHide = mayHide
            do {
                let large = try SecretBytes(byteCount: 900 << 10)
                #expect(throws: MemoryError.self) { _ = try SecretBytes(byteCount: 900 << 10) }
                _ = consume large
            }
            // Released memory can be locked again.
            _ = try SecretBytes(byteCount: 900 << 10)
        }
    }
}

private enum LockLimit {
    /// RLIMIT_MEMLOCK, which Glibc's module does not name.
    private static let resource = __rlimit_resource_t(8)

    /// Lowers the limit of this process, and gives up the right to ignore it.
    static func lower(to byteCount: Int) {
        var limit = rlimit(rlim_cur: rlim_t(byteCount), rlim_max: rlim_t(byteCount))
        // SAFETY: `limit` is only read, and only during the call.
        let isSet = unsafe setrlimit(resource, &limit) == 0
        // Become an ordinary user, because a superuser may lock all memory.
        let isPlain = getuid() != 0 || setuid(65534) == 0
        precondition(isSet && isPlain, "the limit holds")
    }
}
