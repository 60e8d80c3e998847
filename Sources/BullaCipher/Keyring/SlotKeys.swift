internal import BullaMemory

/// The keys derived from a user's key for one slot of one file.
struct SlotKeys: ~Copyable {
    let sealing: SecretBytes
    let commitment: Digest
    private let authentication: SecretBytes
    /// The digest of the file's header, to which a slot is bound.
    private let headerDigest: Digest

    init(
        _ key: UserKey, salt: [UInt8], file: FileIdentifier, headerDigest: Digest
    ) throws(CipherError) {
        let salt = file.bytes + salt
        let sealing = try key.sealingKey(salt)
        let authentication = try key.authenticationKey(salt)
        commitment = try key.commitment(salt)
        self.sealing = sealing
        self.authentication = authentication
        self.headerDigest = headerDigest
    }

    /// The bytes that are authenticated with the sealed secret: the digests of the header and of
    /// the slot's cleartext fields.
    func sealContext(of slot: [UInt8]) throws(CipherError) -> [UInt8] {
        let said = slot[..<SlotField.nonce.offset] + slot[SlotField.totalByteCount...]
        return headerDigest.bytes
            + (try Array(said).withView { view throws(CipherError) in
                try KeyDerivation.sha256(view).bytes
            })
    }

    /// The HMAC over the header's digest, and over all of the slot except the HMAC itself.
    func authenticate(_ slot: [UInt8]) throws(CipherError) -> Digest {
        try headerDigest.bytes.withView { header throws(CipherError) in
            try slot.withView { slot throws(CipherError) in
                let fields = SlotField.totalByteCount
                return try HMAC(key: authentication).digest(
                    of: [
                        header, slot.slice(0, SlotField.authentication.offset),
                        slot.slice(fields, slot.byteCount - fields),
                    ])
            }
        }
    }
}
