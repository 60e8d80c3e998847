internal import BullaMemory

/// What a user's key becomes for one slot of one file.
struct SlotKeys: ~Copyable {
    let sealing: SecretBytes
    let commitment: Digest
    private let authentication: SecretBytes
    /// Of the file's header: a slot belongs to one header, too.
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

    /// What is authenticated beside the sealed secret: the header, and a digest of what the slot
    /// says in clear.
    func sealContext(of slot: [UInt8]) throws(CipherError) -> [UInt8] {
        let said = slot[..<SlotField.nonce.offset] + slot[SlotField.totalByteCount...]
        return headerDigest.bytes
            + (try Array(said).withView { view throws(CipherError) in
                try KeyDerivation.sha256(view).bytes
            })
    }

    /// The HMAC over the header and all of the slot but itself.
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
