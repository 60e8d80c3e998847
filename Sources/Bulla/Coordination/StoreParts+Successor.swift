internal import BullaCipher
internal import BullaMemory

/// A process that has the store open while its master secret is replaced.
extension StoreParts {
    /// Takes up the secret that took over from the one which this process knows, where the keyring
    /// names one.
    ///
    /// To be asked where something does not verify: as a rule another process has written it under
    /// the new secret.
    ///
    /// - Returns: whether another secret is used from here on.
    func takeUpSuccessor() throws(BullaError) -> Bool {
        guard let known = ciphers.secret else { return false }
        for index in KeyringCopies.offsets.indices {
            let bytes = try KeyringCopies(file: file).read(index).bytes
            let taken: PageCiphers.Secrets?
            do throws(CipherError) { taken = try successor(of: known, in: bytes) } catch {
                throw BullaError.cipher("read the keyring of \(path)", error)
            }
            guard let taken else { continue }
            try holdSecret(taken.all.firstEpoch, insteadOf: known.all.firstEpoch)
            ciphers.use(taken)
            return true
        }
        return false
    }

    /// What a copy of the keyring gives a holder of the secret before it.
    private func successor(
        of known: PageCiphers.Secrets, in bytes: [UInt8]
    ) throws(CipherError) -> PageCiphers.Secrets? {
        guard let table = try Keyring.table(ofBytes: bytes),
            table.firstEpoch > known.all.firstEpoch,
            let successor = try table.successor(of: known.master, headerDigest: header.digest),
            try Keyring.table(
                ofBytes: bytes, under: successor, headerDigest: header.digest) != nil
        else { return nil }
        return PageCiphers.Secrets(
            MasterSecrets(
                successor, former: try known.master.copied(), firstEpoch: table.firstEpoch))
    }

    /// Says to others which secret this process knows, by a lock that ends with it.
    ///
    /// Whoever replaces a secret waits for those that know the former one alone.
    func holdSecret(_ firstEpoch: UInt64, insteadOf former: UInt64? = nil) throws(BullaError) {
        _ = try file.lock(LockByte.secret(firstEpoch), .shared)
        if let former { _ = try file.lock(LockByte.secret(former), .none) }
    }
}
