internal import BullaMemory

/// One copy of the keyring, as it was read.
///
/// Nothing in it is believed before it is verified.
struct KeyringCopy {
    /// What came of verifying a copy.
    ///
    /// What stands first says more about why none opened.
    ///
    ///     verdict      checksum  layout  commitment  HMAC and tag
    ///     whole        holds     known   holds       hold
    ///     forged       holds     known   holds       differ
    ///     unsupported  holds     newer   -           -
    ///     foreign      holds     known   differs     -
    ///     damaged      differs   -       -           -
    enum Verdict: Equatable {
        case whole, forged, unsupported(UInt16), foreign, damaged
    }

    static let magic: UInt64 = 0x5945_4b41_4c4c_5542  // "BULLAKEY", little-endian
    static let layoutVersion: UInt16 = 1

    private let bytes: [UInt8]

    /// Copies the bytes: shared memory may change between verifying and reading.
    init(reading view: ByteView) {
        bytes = view.slice(0, KeyringField.totalByteCount).copied()
    }

    var generation: UInt64 {
        bytes.withView { $0.load(UInt64.self, at: KeyringField.generation.offset) }
    }

    /// The generation, where the checksum holds.
    func claimedGeneration() throws(CipherError) -> UInt64? {
        let isWhole = try bytes.withView { view throws(CipherError) in try hasChecksum(view) }
        return isWhole ? generation : nil
    }

    /// Verifies the copy, up to the tag of the sealed secret, which ``open(with:)`` verifies.
    func verify(with keys: borrowing KeyringKeys) throws(CipherError) -> Verdict {
        try bytes.withView { view throws(CipherError) in
            guard try hasChecksum(view) else { return .damaged }
            let version = view.load(UInt16.self, at: KeyringField.layoutVersion.offset)
            guard version == Self.layoutVersion else { return .unsupported(version) }
            guard digest(.commitment, in: view).equals(keys.commitment) else { return .foreign }
            let expected = try keys.authenticate(view)
            return digest(.authentication, in: view).equals(expected) ? .whole : .forged
        }
    }

    /// Opens the sealed secret, or nothing when its tag does not hold.
    func open(with keys: borrowing KeyringKeys) throws(CipherError) -> MasterSecret? {
        var secret = try SecretBytes.zeroed(byteCount: MasterSecret.byteCount)
        do throws(CipherError) {
            try secret.withMutableView { secret throws(CipherError) in
                try open(into: secret, with: keys)
            }
        } catch  where error.code == .badTag {
            return nil
        }
        return MasterSecret(secret, fileIdentifier: keys.fileIdentifier)
    }

    private func open(
        into secret: MutableByteView, with keys: borrowing KeyringKeys
    ) throws(CipherError) {
        try bytes.withView { view throws(CipherError) in
            let sealed = Self.sealedRecord(in: view)
            try keys.sealContext(of: view).withView { context throws(CipherError) in
                try RecordSeal.open(sealed, key: keys.sealing, context: context, into: secret)
            }
        }
    }

    /// Nonce, sealed secret and tag, one behind the other: a sealed record.
    static func sealedRecord(in view: ByteView) -> ByteView {
        let offset = KeyringField.nonce.offset
        return view.slice(offset, KeyringField.authentication.offset - offset)
    }

    private func hasChecksum(_ view: ByteView) throws(CipherError) -> Bool {
        guard view.byteCount == KeyringField.totalByteCount,
            view.load(UInt64.self, at: KeyringField.magic.offset) == Self.magic
        else { return false }
        let sum = try KeyDerivation.sha256(view.slice(0, KeyringField.checksum.offset))
        return digest(.checksum, in: view).equals(sum)
    }

    private func digest(_ field: KeyringField, in view: ByteView) -> Digest {
        Digest(view.slice(field.offset, field.byteCount))
    }
}
