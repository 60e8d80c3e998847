/// The secrets under which a file's pages lie: one, or two while the pages are sealed anew.
package struct MasterSecrets: ~Copyable, Sendable {
    package let master: MasterSecret
    /// Under which the pages of the key epochs before ``firstEpoch`` lie.
    package let former: MasterSecret?
    /// The first key epoch under ``master``.
    package let firstEpoch: UInt64

    package init(
        _ master: consuming MasterSecret, former: consuming MasterSecret? = nil,
        firstEpoch: UInt64 = 1
    ) {
        self.master = master
        self.former = former
        self.firstEpoch = firstEpoch
    }

    /// Whether pages may lie under a former secret.
    package var hasFormer: Bool { former != nil }

    /// Whether the secret of an epoch is there.
    package func has(_ epoch: UInt64) -> Bool { epoch >= firstEpoch || former != nil }

    /// Runs `body` with the secret that a key epoch's keys come from.
    ///
    /// - Throws: what `body` throws; ``CipherError/Code/badTag`` where that secret is gone.
    package func withMaster<R: ~Copyable>(
        of epoch: UInt64, _ body: (borrowing MasterSecret) throws(CipherError) -> R
    ) throws(CipherError) -> R {
        if epoch >= firstEpoch { return try body(master) }
        guard former != nil else { throw CipherError(.badTag) }
        // Not bound to a name: a noncopyable value would be moved out of its owner.
        return try body(former!)
    }

    /// Overwrites the secrets where they lie.
    package func wipe() {
        master.wipe()
        former?.wipe()
    }
}
