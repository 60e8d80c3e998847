/// The secrets that give the keys of a file's pages: one, or two while pages are being sealed anew.
package struct MasterSecrets: ~Copyable, Sendable {
    package let master: MasterSecret
    /// The first key epoch under ``master``.
    package let firstEpoch: UInt64
    /// The secret of the pages in key epochs before ``firstEpoch``.
    private let former: Former?

    /// A class, because unwrapping an optional secret would consume it.
    private final class Former: Sendable {
        let master: MasterSecret
        init(_ master: consuming MasterSecret) { self.master = master }
    }

    /// One secret alone.
    package init(_ master: consuming MasterSecret, firstEpoch: UInt64 = 1) {
        self.master = master
        self.firstEpoch = firstEpoch
        former = nil
    }

    /// A secret, and the one that it replaces.
    package init(
        _ master: consuming MasterSecret, former: consuming MasterSecret, firstEpoch: UInt64
    ) {
        self.master = master
        self.firstEpoch = firstEpoch
        self.former = Former(former)
    }

    /// Whether the file may still have pages that are sealed under the keys of a former secret.
    package var hasFormer: Bool { former != nil }

    /// Whether the secret of an epoch is known.
    package func has(_ epoch: UInt64) -> Bool { epoch >= firstEpoch || former != nil }

    /// The secret from which a key epoch's keys are derived; it must be known (``has(_:)``).
    package subscript(of epoch: UInt64) -> MasterSecret {
        _read {
            if epoch >= firstEpoch {
                yield master
            } else {
                guard let former else { preconditionFailure("the secret was replaced") }
                yield former.master
            }
        }
    }

    /// Runs `body` with the secret from which a key epoch's keys are derived.
    ///
    /// - Throws: what `body` throws; ``CipherError/Code/badTag`` if that secret is gone.
    package func withMaster<R: ~Copyable>(
        of epoch: UInt64, _ body: (borrowing MasterSecret) throws(CipherError) -> R
    ) throws(CipherError) -> R {
        guard has(epoch) else { throw CipherError(.badTag) }
        return try body(self[of: epoch])
    }

    /// Overwrites the secrets in place.
    package func wipe() {
        master.wipe()
        former?.master.wipe()
    }
}
