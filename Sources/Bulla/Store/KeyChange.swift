internal import BullaCipher
internal import BullaMemory
internal import Logging

extension Store {
    /// Gives the store another key.
    ///
    /// The keyring is sealed anew, and nothing else: the pages stay under the same data keys, and
    /// who has the store open goes on. When the call returns, the former key opens nothing any
    /// more; where a crash cuts it short, the store opens under the one or the other, and the first
    /// who then opens it alone, to write, makes his the only one.
    ///
    /// Who had the former key and a copy of the file from that time can still read what is written
    /// later: a store under new data keys is made by ``compact(to:key:options:progress:)``.
    ///
    /// - Throws: `notEncrypted` for a plain store; `readOnly`, `busy`, `replaced`, `poisoned`,
    ///   `io`. Then it is open which of the two keys holds, as after a crash.
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
struct KeyChange {
    let core: StoreCore

    private var copies: KeyringCopies { KeyringCopies(file: core.parts.file) }

    func run(to key: StoreKey) throws(BullaError) {
        guard let secret = core.parts.ciphers.secret else {
            throw BullaError(
                .notEncrypted, "change the key of \(core.parts.path): the store is plain")
        }
        let generation = try replaceFirst(key, secret)
        // The change is made. What is left is done by the next one to open the store, if not here.
        do throws(BullaError) { try replaceSecond(generation) } catch {
            core.options.logger?.warning("the keyring's other copy was not written: \(error)")
        }
    }

    private func replaceFirst(
        _ key: StoreKey, _ secret: PageCiphers.Secret
    ) throws(BullaError) -> UInt64 {
        let state = try core.beginWrite()
        do throws(BullaError) {
            let former = state.base.keyringGeneration
            let known = [try copies.read(0).generation, try copies.read(1).generation]
            let newest = known.reduce(former) { max($0, $1 ?? 0) }
            guard newest < UInt64.max else { throw exhausted() }
            state.keyringGeneration = newest + 1
            // The other one must open under the former key until the commit is durable.
            let index = known[1] == former ? 0 : 1
            try copies.write(try seal(key, secret, newest + 1), index)
        } catch {
            core.abort(state)
            throw error
        }
        let generation = state.keyringGeneration
        // Two phases: no commit names a copy that the disk may not have.
        let commit = try core.publish(state, .twoPhase)
        try core.settle(commit, .twoPhase)
        return generation
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

    private func exhausted() -> BullaError {
        BullaError(
            .corrupted,
            "change the key of \(core.parts.path): its keyring says that it is the last one")
    }

    private func replaceSecond(_ generation: UInt64) throws(BullaError) {
        let state = try core.beginWrite()
        defer { core.abort(state) }
        // Another change may have come in between; then it sees to both copies.
        guard state.base.keyringGeneration == generation else { return }
        for index in 0..<KeyringCopies.offsets.count {
            let copy = try copies.read(index)
            if copy.generation == generation { return try replace(1 - index, copy.bytes) }
        }
    }

    private func replace(_ index: Int, _ bytes: [UInt8]) throws(BullaError) {
        try copies.write(bytes, index)
        try core.flusher.flushPages()
    }

    /// Ends a change that was cut short, in favour of the key that the store was opened with.
    ///
    /// To be called by who is alone.
    func finish() throws(BullaError) {
        guard !core.options.isReadOnly, let keyring = core.parts.keyring else { return }
        if !keyring.copiesAgree {
            try replace(1 - keyring.copyIndex, try copies.read(keyring.copyIndex).bytes)
        }
        guard try core.board.record(.published).keyringGeneration < keyring.generation else {
            return
        }
        let state = try core.beginWrite()
        state.keyringGeneration = keyring.generation
        try core.settle(try core.publish(state, .full), .full)
    }
}
