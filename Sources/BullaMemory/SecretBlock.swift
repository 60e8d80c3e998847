internal import CBullaShared
internal import Glibc

/// A mapping of memory for secrets: small secrets share it, or it belongs to one large secret.
///
/// Its arena knows its free parts.
@safe final class SecretBlock: @unchecked Sendable {
    // `@unchecked`: it holds pointers, which never change.

    enum Kind {
        /// Locked, and mapped only in this process.
        case hidden
        case locked
        /// Can be swapped.
        case loose

        fileprivate var number: bulla_secret_kind {
            switch self {
            case .hidden: BULLA_SECRET_HIDDEN
            case .locked: BULLA_SECRET_LOCKED
            case .loose: BULLA_SECRET_LOOSE
            }
        }
    }

    private unowned(unsafe) let owner: SecretArena
    let kind: Kind
    let byteCount: Int
    /// Whether one large secret has it for itself.
    let isLarge: Bool
    let base: UnsafeMutableRawPointer

    /// The arena that the block is a part of.
    @inline(__always)
    var arena: SecretArena {
        // SAFETY: an arena is never released.
        unsafe owner
    }

    /// Maps a block of the first available kind.
    ///
    /// - Throws: ``MemoryError`` if none of these kinds is available.
    init(
        _ arena: SecretArena, byteCount: Int, isLarge: Bool, kinds: [Kind]
    ) throws(MemoryError) {
        var error = MemoryError(errno: ENOSYS)
        for kind in kinds {
            var base: UnsafeMutableRawPointer?
            // SAFETY: `base` is written by the call.
            let status = unsafe bulla_secret_map(byteCount, kind.number, &base)
            if let base = unsafe base {
                unsafe self.base = unsafe base
                unsafe self.owner = arena
                (self.kind, self.byteCount) = (kind, byteCount)
                self.isLarge = isLarge
                return
            }
            let number = Glibc.errno
            error =
                status == BULLA_SECRET_UNLOCKABLE
                ? .cannotLock(errno: number) : MemoryError(errno: number)
        }
        throw error
    }

    deinit {
        // A forked child does not have this mapping, and may have something else at its address.
        guard arena.isHere else { return }
        // SAFETY: mapped in init, unmapped once.
        unsafe _ = munmap(base, byteCount)
    }

    var isLocked: Bool { kind != .loose }
}
