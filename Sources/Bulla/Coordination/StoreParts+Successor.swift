internal import BullaCipher
internal import BullaMemory

/// A process that has the store open while its master secret is replaced.
extension StoreParts {
    /// Takes up the secret that took over from the one which this process knows, where the keyring
    /// names one.
    ///
    /// To be asked where something does not verify: as a rule another process has written it under
    /// the new secret. A keyring that no commit names is not believed: its writer may have died,
    /// and the next change of the keyring will take its place.
    ///
    /// - Parameters:
    ///   - named: the generation that a commit names; `nil` where none can be asked, and a meta
    ///     slot under the new secret has to prove that it is in use.
    /// - Returns: whether another secret is used from here on.
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

    /// What a copy of the keyring gives a holder of the secret before it.
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

    /// Whether a meta slot names an epoch of the secret, and is authentic under it: nothing lies
    /// under a secret before that.
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

    /// Goes back to the secret before the one that the store was opened under, where no commit
    /// names the keyring of that one.
    ///
    /// Its writer has died, or has not come that far. Then the next change of the keyring takes the
    /// place of that copy, and goes on from the other one; if it is named after all, this process
    /// finds the new secret as others do who have the store open.
    ///
    /// To be called by an opener that is not alone, before it uses either secret.
    func giveUpUnnamedSecret(_ board: CommitBoard) throws(BullaError) {
        guard let keyring, let taken = ciphers.secret, taken.all.hasFormer,
            try board.checkpoint().keyringGeneration < keyring.generation,
            let former = try former(of: taken, in: 1 - keyring.copyIndex)
        else { return }
        let byte = LockByte.secret(former.all.firstEpoch)
        // First the lock, then the second look: whoever has named the new secret by then waits for
        // those that know the former one alone.
        _ = try file.lock(byte, .shared)
        guard try board.checkpoint().keyringGeneration < keyring.generation else {
            _ = try file.lock(byte, .none)
            return
        }
        try holdSecret(former.all.firstEpoch, insteadOf: taken.all.firstEpoch)
        ciphers.use(former)
        board.forgetKeys()
    }

    /// The secret before another, alone, where a copy of the keyring is that one's.
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

    /// Says to others which secret this process knows, by a lock that ends with it.
    ///
    /// Whoever replaces a secret waits for those that know the former one alone.
    func holdSecret(_ firstEpoch: UInt64, insteadOf former: UInt64? = nil) throws(BullaError) {
        _ = try file.lock(LockByte.secret(firstEpoch), .shared)
        // The same secret, of which the former one was forgotten, has the same byte.
        guard let former, LockByte.secret(former) != LockByte.secret(firstEpoch) else { return }
        _ = try file.lock(LockByte.secret(former), .none)
    }
}
