internal import BullaMemory

/// The sealed master secret, as it lies in the file in two copies (``KeyringField``).
///
/// A wrong key, in either half, and a damaged keyring are told apart by the commitment. A change of
/// the user's key writes both copies under the next generation, one after the other: a crash
/// between them leaves one copy that the old key opens, and one that the new key opens.
package enum Keyring {
    /// How many bytes a copy has.
    package static let copyByteCount = KeyringField.totalByteCount

    /// One copy of the keyring: `master` under `userKey`.
    ///
    /// - Parameters:
    ///   - headerDigest: SHA-256 of the file's header.
    ///   - generation: greater than that of the copies that it replaces.
    /// - Returns: ``copyByteCount`` bytes, in which nothing is readable.
    package static func seal(
        _ master: borrowing MasterSecret, userKey: borrowing UserKey, headerDigest: Digest,
        generation: UInt64
    ) throws(CipherError) -> [UInt8] {
        let keys = try KeyringKeys(
            userKey, fileIdentifier: master.fileIdentifier, headerDigest: headerDigest)
        return try [UInt8](byteCount: copyByteCount) { copy throws(CipherError) in
            copy.store(KeyringCopy.magic, at: KeyringField.magic.offset)
            copy.store(KeyringCopy.layoutVersion, at: KeyringField.layoutVersion.offset)
            copy.store(generation, at: KeyringField.generation.offset)
            keys.commitment.store(in: copy, at: KeyringField.commitment.offset)
            try seal(master, into: copy, with: keys)
            try keys.authenticate(copy.view).store(in: copy, at: KeyringField.authentication.offset)
            try KeyDerivation.sha256(copy.view.slice(0, KeyringField.checksum.offset))
                .store(in: copy, at: KeyringField.checksum.offset)
        }
    }

    private static func seal(
        _ master: borrowing MasterSecret, into copy: MutableByteView,
        with keys: borrowing KeyringKeys
    ) throws(CipherError) {
        let offset = KeyringField.nonce.offset
        let record = copy.slice(offset, KeyringField.authentication.offset - offset)
        try keys.sealContext(of: copy.view).withView { context throws(CipherError) in
            try master.secret.withView { secret throws(CipherError) in
                try RecordSeal.seal(secret, key: keys.sealing, context: context, into: record)
            }
        }
    }
}
