internal import BullaCipher
internal import BullaMemory
internal import Logging

extension Store {
    /// Gives the store another key.
    ///
    /// The keyring is sealed anew, and nothing else: the pages stay under the same data keys, and
    /// who has the store open goes on. When the call returns, the former key opens nothing any
    /// more of this file; where a crash cuts it short, the store opens under the one or the other,
    /// and the first who then opens it alone, to write, makes his the only one.
    ///
    /// Who had the former key and a copy of the file from that time can still read what is written
    /// later: a store under new data keys is made by `compact(to:key:)`.
    ///
    /// - Throws: `notEncrypted` for a plain store, `readOnly`, `busy`: nothing was changed.
    ///   `replaced`, `poisoned`, `io`: it is open which of the two keys holds, as after a crash.
    ///   `notYetDurable`: the new key holds, unless a crash comes before the next flush.
    public func changeKey(to key: StoreKey) throws(BullaError) {
        try KeyChange(core: core).run(to: key)
    }
}

/// A change of the user's key.
///
///     step       what a crash after it leaves
///     first      a copy of the keyring under either key
///     commit     the same; but the former key is refused, because the commit names the new one
///     second     both copies under the new key
///
/// Generations only grow, and no two changes have the same: a change that was cut short, and ended
/// in favour of the former key, leaves a generation that is refused for ever.
struct KeyChange {
    let core: StoreCore

    /// Claims of copies beyond it are not counted on: they need no key, and the numbers would end.
    private static let claimLimit: UInt64 = 1 << 32

    private var copies: KeyringCopies { KeyringCopies(file: core.parts.file) }

    /// One copy of the keyring, as it was written.
    private struct Written {
        let index: Int
        let bytes: [UInt8]
        let generation: UInt64
    }

    /// - Parameter kept: which copy must open until the commit is durable; `nil`: one of the
    ///   generation that the newest commit names.
    func run(to key: StoreKey, keeping kept: Int? = nil) throws(BullaError) {
        guard let secret = core.parts.ciphers.secret else {
            throw BullaError(
                .notEncrypted,
                "change the key of \(core.parts.path): the store is plain; compact makes a copy "
                    + "under a key")
        }
        let first = try replaceFirst(key, secret, keeping: kept)
        // The change is made. What is left is done by the next one to open the store, if not here.
        do throws(BullaError) { try replaceSecond(first) } catch {
            core.options.logger?.warning(
                "the keyring's other copy was not written: \(error)",
                metadata: ["store": "\(core.parts.path)"])
        }
    }

    private func replaceFirst(
        _ key: StoreKey, _ secret: PageCiphers.Secret, keeping kept: Int?
    ) throws(BullaError) -> Written {
        let state = try core.beginWrite()
        let written: Written
        do throws(BullaError) {
            let former = state.base.keyringGeneration
            let claims = [try copies.read(0).generation, try copies.read(1).generation]
            let newest = claims.compactMap { $0 }.filter { $0 <= former &+ Self.claimLimit }
                .reduce(former, max)
            let index = 1 - (kept ?? (claims[1] == former ? 1 : 0))
            written = Written(
                index: index, bytes: try seal(key, secret, newest &+ 1), generation: newest &+ 1)
            try copies.write(written.bytes, index)
            state.keyringGeneration = written.generation
        } catch {
            core.abort(state)
            throw error
        }
        // Flushed first: no commit names a copy that the disk may not have.
        let commit = try core.publish(state, flushingPages: true)
        try core.settle(commit, .full)
        // Once more, so that no recovery falls back to a commit that names the former key.
        try core.use { () throws(BullaError) in try core.flusher.leadAlways(for: commit) }
        return written
    }

    private func seal(
        _ key: StoreKey, _ secret: PageCiphers.Secret, _ generation: UInt64
    ) throws(BullaError) -> [UInt8] {
        do throws(CipherError) {
            return try Keyring.seal(
                secret.master, userKey: key.userKey, headerDigest: core.parts.header.digest,
                generation: generation)
        } catch { throw BullaError.cipher("change the key of \(core.parts.path)", error) }
    }

    private func replaceSecond(_ first: Written) throws(BullaError) {
        let state = try core.beginWrite()
        defer { core.abort(state) }
        // Another change may have come in between; then it sees to both copies.
        guard state.base.keyringGeneration == first.generation else { return }
        try copies.write(first.bytes, 1 - first.index)
        try core.flusher.flushPages()
    }

    /// Ends a change that was cut short, in favour of the key that the store was opened with.
    ///
    /// To be called by who is alone. Both copies are written anew: what the kernel shows of them
    /// may be what a failed flush never brought to the disk.
    func finish(_ key: StoreKey) throws(BullaError) {
        guard core.options.access == .readWrite, let keyring = core.parts.keyring else { return }
        let named = try core.board.record(.published).keyringGeneration
        guard !keyring.copiesAgree || named < keyring.generation else { return }
        try run(to: key, keeping: keyring.copyIndex)
    }
}
