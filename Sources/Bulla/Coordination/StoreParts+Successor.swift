internal import BullaCipher
internal import BullaMemory

/// What a process with the store open does while another one replaces the master secret.
extension StoreParts {
    /// Takes up the successor of the secret that this process knows, if the keyring names one.
    ///
    /// Call it when something does not verify: usually another process has written it under the new
    /// secret. A keyring that no commit names is ignored: its writer may have died, and then the
    /// next change of the keyring replaces it.
    ///
    /// - Parameters:
    ///   - named: the keyring generation that a commit names; `nil` if the caller knows of none.
    ///     Then a meta slot under the new secret has to prove that the secret is in use.
    /// - Returns: whether another secret is used from now on.
    @discardableResult
    func takeUpSuccessor(named: UInt64? = nil) throws(BullaError) -> Bool {
        guard let known = ciphers.secret else { return false }
        for index in KeyringCopies.offsets.indices {
            let bytes = try KeyringCopies(file: file).read(index).bytes
            let taken: PageCiphers.Secrets?
            do throws(CipherError) { taken = try successor(of: known, in: bytes, named) } catch {
                throw BullaError.cipher("read the keyring of \(path)", error)
            }
            guard let taken else { continue }
            invariant(
                taken.all.firstEpoch > known.all.firstEpoch,
                "a secret takes over from one of older key epochs")
            if named == nil, try !isInUse(taken) { continue }
            try holdSecret(taken.all.firstEpoch, insteadOf: known.all.firstEpoch)
            ciphers.use(taken)
            return true
        }
        return false
    }

    /// The secrets that a copy of the keyring gives to a process that knows only the former secret.
    private func successor(
        of known: PageCiphers.Secrets, in bytes: [UInt8], _ named: UInt64?
    ) throws(CipherError) -> PageCiphers.Secrets? {
        guard let table = try Keyring.table(ofBytes: bytes),
            table.firstEpoch > known.all.firstEpoch, table.generation <= named ?? .max,
            let successor = try table.successor(of: known.master, headerDigest: header.digest),
            try Keyring.table(
                ofBytes: bytes, under: successor, headerDigest: header.digest) != nil
        else { return nil }
        return PageCiphers.Secrets(
            MasterSecrets(
                successor, former: try known.master.copied(), firstEpoch: table.firstEpoch))
    }

    /// Whether a meta slot that is authentic under the secret names a key epoch of the secret.
    ///
    /// Until a slot does, processes use the secret to seal nothing but the keyring.
    private func isInUse(_ secret: PageCiphers.Secrets) throws(BullaError) -> Bool {
        let ciphers = PageCiphers(header: header, secret: secret)
        let hmac = try ciphers.metaAuthentication(epoch: secret.all.firstEpoch)
        defer { hmac.end() }
        let buffer = try Buffer.make(MetaField.byteCount)
        let bytes = buffer.bytes.slice(0, MetaField.byteCount)
        for slot in 0..<MetaPage.slotCount {
            try file.read(bytes, at: MetaPage.offset(slot: slot))
            let record = try MetaPage.read(bytes.view, slot: slot, header: header, hmac: hmac)
            if let record, record.keyEpoch >= secret.all.firstEpoch { return true }
        }
        return false
    }

    /// Goes back to the former secret, if no commit names the keyring that the store was opened
    /// with.
    ///
    /// The keyring's writer has died, or has not yet made the commit that names the keyring. If it
    /// has died, the next change of the keyring replaces the writer's copy, and builds on the other
    /// copy. If a commit names the keyring later, this process finds the new secret then, as do the
    /// others that have the store open.
    ///
    /// An opener that is not alone calls this before it uses either secret.
    func giveUpUnnamedSecret(_ board: CheckpointBoard) throws(BullaError) {
        guard let keyring, let taken = ciphers.secret, taken.all.hasFormer,
            try board.checkpoint().keyringGeneration < keyring.generation,
            let former = try former(of: taken, in: 1 - keyring.copyIndex)
        else { return }
        let byte = LockByte.secret(former.all.firstEpoch)
        // Take the lock before asking again: a process that later puts the new secret into use
        // waits for all that hold this lock, because they know only the former secret.
        _ = try file.lock(byte, .shared)
        guard try board.checkpoint().keyringGeneration < keyring.generation else {
            _ = try file.lock(byte, .none)
            return
        }
        try holdSecret(former.all.firstEpoch, insteadOf: taken.all.firstEpoch)
        ciphers.use(former)
        board.forgetKeys()
    }

    /// The former secret alone, if a copy of the keyring is sealed under it.
    private func former(
        of taken: PageCiphers.Secrets, in copy: Int
    ) throws(BullaError) -> PageCiphers.Secrets? {
        let bytes = try KeyringCopies(file: file).read(copy).bytes
        do throws(CipherError) {
            return try taken.all.withMaster(of: 0) { former throws(CipherError) in
                let table = try Keyring.table(
                    ofBytes: bytes, under: former, headerDigest: header.digest)
                guard let table else { return nil }
                return PageCiphers.Secrets(
                    MasterSecrets(try former.copied(), firstEpoch: table.firstEpoch))
            }
        } catch { throw BullaError.cipher("read the keyring of \(path)", error) }
    }

    /// Tells others which secret this process knows, by a lock that is released when the process
    /// ends.
    ///
    /// A process that replaces a secret waits for those that know only the former one.
    func holdSecret(_ firstEpoch: UInt64, insteadOf former: UInt64? = nil) throws(BullaError) {
        _ = try file.lock(LockByte.secret(firstEpoch), .shared)
        // If the process only forgets an older secret, its newest secret stays the same. Then both
        // epochs name that secret's lock, which the process keeps.
        guard let former, LockByte.secret(former) != LockByte.secret(firstEpoch) else { return }
        _ = try file.lock(LockByte.secret(former), .none)
    }
}
