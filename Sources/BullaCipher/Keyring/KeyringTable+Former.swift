internal import BullaMemory

/// The former secret: the master secret has replaced it, but some pages may still be sealed under
/// its keys.
///
/// Each of the two secrets is stored sealed under the other. So a process that opens the store
/// after the replacement finds the former secret, and a process that opened the store earlier finds
/// the new one.
extension KeyringTable {
    /// The two sealed secrets.
    struct Handover: Sendable {
        let former: [UInt8]
        let successor: [UInt8]
    }

    /// Keeps the secret that `master` replaces.
    package mutating func keep(
        former: borrowing MasterSecret, under master: borrowing MasterSecret, headerDigest: Digest
    ) throws(CipherError) {
        let context = handoverContext(headerDigest)
        handover = Handover(
            former: try former.sealed(under: try master.formerKey(), context),
            successor: try master.sealed(under: try former.successorKey(), context))
    }

    /// The secret that `master` replaces; `nil` if the keyring does not keep it.
    ///
    /// - Throws: ``CipherError/Code/badTag`` if the stored bytes are not that secret.
    package func former(
        under master: borrowing MasterSecret, headerDigest: Digest
    ) throws(CipherError) -> MasterSecret? {
        guard let handover else { return nil }
        return try MasterSecret(
            opening: handover.former, under: try master.formerKey(),
            handoverContext(headerDigest), of: master.fileIdentifier)
    }

    /// The secret that replaces `former`; `nil` if there is none, or if `former` does not open it.
    package func successor(
        of former: borrowing MasterSecret, headerDigest: Digest
    ) throws(CipherError) -> MasterSecret? {
        guard let handover else { return nil }
        do throws(CipherError) {
            return try MasterSecret(
                opening: handover.successor, under: try former.successorKey(),
                handoverContext(headerDigest), of: former.fileIdentifier)
        } catch {
            guard error.code == .badTag else { throw error }
            return nil
        }
    }

    /// Drops the former secret: whatever is sealed under its keys can no longer be opened.
    package mutating func dropFormer() { handover = nil }

    private func handoverContext(_ headerDigest: Digest) -> [UInt8] {
        headerDigest.bytes + firstEpoch.littleEndianBytes
    }
}

extension MasterSecret {
    fileprivate borrowing func sealed(
        under key: borrowing SecretBytes, _ context: [UInt8]
    ) throws(CipherError) -> [UInt8] {
        // A child after a fork does not have the secret, and a wiped secret is zeros.
        try secret.checkIntact()
        let byteCount = KeyringField.former.byteCount
        return try [UInt8](byteCount: byteCount) { sealed throws(CipherError) in
            try secret.withView { secret throws(CipherError) in
                try context.withView { context throws(CipherError) in
                    try RecordSeal.seal(secret, key: key, context: context, into: sealed)
                }
            }
        }
    }

    fileprivate init(
        opening sealed: [UInt8], under key: borrowing SecretBytes, _ context: [UInt8],
        of file: FileIdentifier
    ) throws(CipherError) {
        var secret = try SecretBytes.zeroed(byteCount: Self.byteCount)
        try secret.withMutableView { secret throws(CipherError) in
            try sealed.withView { sealed throws(CipherError) in
                try context.withView { context throws(CipherError) in
                    try RecordSeal.open(sealed, key: key, context: context, into: secret)
                }
            }
        }
        self.init(secret, fileIdentifier: file)
    }
}
