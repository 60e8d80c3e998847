internal import BullaMemory

/// What a user's key becomes for the keyring of one file.
struct KeyringKeys: ~Copyable {
    let sealing: SecretBytes
    let authentication: SecretBytes
    let commitment: Digest
    let fileIdentifier: FileIdentifier
    /// Of the file's header: a keyring belongs to one header, too.
    let headerDigest: Digest

    init(
        _ userKey: borrowing UserKey, fileIdentifier: FileIdentifier, headerDigest: Digest
    ) throws(CipherError) {
        let sealing = try userKey.sealingKey(for: fileIdentifier)
        let authentication = try userKey.authenticationKey(for: fileIdentifier)
        commitment = try userKey.commitment(to: fileIdentifier)
        self.sealing = sealing
        self.authentication = authentication
        self.fileIdentifier = fileIdentifier
        self.headerDigest = headerDigest
    }

    /// What is authenticated beside the sealed secret: the header, and all fields before the nonce.
    func sealContext(of copy: ByteView) -> [UInt8] {
        headerDigest.bytes + copy.slice(0, KeyringField.nonce.offset).copied()
    }

    /// The HMAC over the header and all fields before it.
    func authenticate(_ copy: ByteView) throws(CipherError) -> Digest {
        try headerDigest.bytes.withView { header throws(CipherError) in
            try HMAC(key: authentication).digest(
                of: [header, copy.slice(0, KeyringField.authentication.offset)])
        }
    }
}
