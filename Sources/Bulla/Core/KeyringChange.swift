internal import BullaCipher
internal import BullaMemory
internal import Logging

/// A change of the keyring: of its slots, or of the secrets in it.
///
///     step       state if a crash follows
///     first      one copy of the keyring as it was, and one changed copy
///     commit     the same; but the former copy is refused, because the commit names the new one
///     second     both copies changed
///
/// Each change has a generation of its own, higher than all before. If a change was cut short and
/// the former keyring was kept, the change's generation is refused for ever.
struct KeyringChange {
    let core: StoreCore

    /// By how much the generation that a copy claims can exceed the one that the newest commit
    /// names.
    ///
    /// A change ignores a greater claim. Forging a claim takes no key, and a forged claim near the
    /// greatest number would leave no numbers for later changes.
    private static let claimLimit: UInt64 = 1 << 32

    private var copies: KeyringCopies { KeyringCopies(file: core.parts.file) }
    private var path: String { core.parts.path }

    /// One copy of the keyring, as it was written.
    private struct Written {
        let index: Int
        let bytes: [UInt8]
        let generation: UInt64
    }

    /// Changes the keyring that the newest commit names.
    ///
    /// - Parameters:
    ///   - attempt: what is being done, for messages.
    ///   - edit: changes the table, and perhaps the secrets, which this process then uses; if it
    ///     throws, nothing has changed.
    ///   - isStrict: whether it is an error if the second copy cannot be written.
    func run<R>(
        _ attempt: String, isStrict: Bool = false,
        _ edit: (inout KeyringTable, inout PageCiphers.Secrets) throws(BullaError) -> R
    ) throws(BullaError) -> R {
        try core.entrance.use { () throws(BullaError) in
            let turn = try RecordTurn(core)
            // Another process may have replaced the secret before this one got the lock.
            let former = turn.base.keyringGeneration
            _ = try core.parts.takeUpSuccessor(named: former)
            var secret = try self.secret(attempt)
            var (kept, table) = try named(turn.base, secret, attempt)
            let result = try edit(&table, &secret)
            let written = try write(table, after: former, try claims(), 1 - kept, secret)
            let (known, taken) = (core.parts.ciphers.secret, secret)
            try publish(turn, written, isStrict: isStrict) { () throws(BullaError) in
                guard let known, known !== taken else { return }
                // Take the secret's lock before using the secret, because a process that later
                // replaces the secret waits for all processes that hold that lock.
                try core.parts.holdSecret(taken.all.firstEpoch, insteadOf: known.all.firstEpoch)
                core.parts.ciphers.use(taken)
            }
            return result
        }
    }

    /// Throws if a commit's keyring is not sealed under the secret that this process knows.
    ///
    /// Call this under the lock that ``RecordTurn`` takes.
    func demandNamed(_ base: CommitRecord, _ attempt: String) throws(BullaError) {
        _ = try named(base, try secret(attempt), attempt)
    }

    /// The copy that a commit names, and its table.
    private func named(
        _ base: CommitRecord, _ secret: PageCiphers.Secrets, _ attempt: String
    ) throws(BullaError) -> (index: Int, table: KeyringTable) {
        let named = try copies.named(base.keyringGeneration, core.parts.header, secret)
        guard let named else {
            throw BullaError(
                .corrupted,
                "\(attempt) \(path): neither copy of the keyring is the one that commit "
                    + "\(base.commit) names", commit: base.commit)
        }
        return named
    }

    /// The table of the keyring that the newest commit names, read without a lock, so that readers
    /// can call this too.
    func namedTable(_ attempt: String) throws(BullaError) -> KeyringTable {
        while true {
            let base = try core.board.checkpoint()
            try core.parts.takeUpSuccessor(named: base.keyringGeneration)
            do throws(BullaError) {
                return try named(base, try secret(attempt), attempt).table
            } catch {
                // If a change has written both copies since the commit was read, try again.
                let newest = try core.board.checkpoint().keyringGeneration
                guard newest > base.keyringGeneration else { throw error }
            }
        }
    }

    func secret(_ attempt: String) throws(BullaError) -> PageCiphers.Secrets {
        guard let secret = core.parts.ciphers.secret else {
            throw BullaError.plain("\(attempt) \(path)")
        }
        return secret
    }

    private func claims() throws(BullaError) -> [UInt64?] {
        [try copies.read(0).generation, try copies.read(1).generation]
    }

    /// Writes a table to one copy, under a generation that no other change has had.
    private func write(
        _ table: KeyringTable, after former: UInt64, _ claims: [UInt64?], _ index: Int,
        _ secret: PageCiphers.Secrets
    ) throws(BullaError) -> Written {
        let newest = claims.compactMap { $0 }.filter { $0 <= former &+ Self.claimLimit }
            .reduce(former, max)
        var table = table
        table.generation = newest &+ 1
        let bytes: [UInt8]
        do throws(CipherError) {
            bytes = try table.bytes(under: secret.master, headerDigest: core.parts.header.digest)
        } catch { throw BullaError.cipher("seal the keyring of \(path)", error) }
        try copies.write(bytes, index)
        return Written(index: index, bytes: bytes, generation: table.generation)
    }

    /// Names the written copy durably in the meta slots, then writes the other copy.
    ///
    /// - Parameters:
    ///   - isStrict: whether it is an error if the other copy cannot be written.
    ///   - adopt: called once the change can no longer be undone.
    private func publish(
        _ turn: consuming RecordTurn, _ written: Written, isStrict: Bool = false,
        _ adopt: () throws(BullaError) -> Void = {}
    ) throws(BullaError) {
        try turn.name(keyring: written.generation, adopt: adopt)
        // By now the change can no longer be undone. If the other copy cannot be written now, the
        // next change of the keyring writes it, or else the next opener that is alone and can
        // write.
        do throws(BullaError) { try replaceSecond(written) } catch {
            guard !isStrict else { throw error }
            core.options.logger?.warning(
                "the keyring's other copy was not written: \(error)",
                metadata: ["store": "\(path)"])
        }
    }

    private func replaceSecond(_ first: Written) throws(BullaError) {
        let turn = try RecordTurn(core)
        // If another change was made before this turn began, that change writes both copies itself.
        guard turn.base.keyringGeneration == first.generation else { return }
        try copies.write(first.bytes, 1 - first.index)
        try core.metaWriter.flushPages()
    }

    /// Ends a change that was cut short, in favour of the copy that the store was opened with.
    ///
    /// An opener that is alone calls this. Both copies are written anew, because the kernel may
    /// show bytes that a failed flush never brought to the disk.
    func finish() throws(BullaError) {
        guard core.options.access == .readWrite, let keyring = core.parts.keyring else { return }
        let named = try core.board.checkpoint().keyringGeneration
        guard !keyring.copiesAgree || named < keyring.generation else { return }
        let secret = try secret("open")
        let turn = try RecordTurn(core)
        guard let table = try copies.table(keyring.copyIndex, core.parts.header, secret) else {
            throw BullaError(.corrupted, "open \(path): the keyring changed while it was read")
        }
        let written = try write(
            table, after: turn.base.keyringGeneration, try claims(), 1 - keyring.copyIndex,
            secret)
        try publish(turn, written)
    }
}
