internal import BullaCipher
internal import BullaMemory

/// A vault as it stands in its store: a value of the tree ``treeName``, under the vault's name.
///
///     offset  bytes  field
///          0      8  magic       "BULLAVLT"
///          8      2  version     1
///         10      6  zeros
///         16     16  identifier  random: which vault
///         32   4096  keyring     slots that hold the vault's secret, as a store's keyring does;
///                                its first epoch is the one that the vault seals under
struct VaultRecord {
    /// Vaults are values of an ordinary tree: copies take it along.
    static let treeName = "bulla.vaults"
    static let nameByteLimit = 255
    private static let magic: UInt64 = 0x544C_5641_4C4C_5542
    private static let version: UInt16 = 1
    private static let headByteCount = 32

    let identifier: VaultIdentifier
    /// What the slots are bound to: the head, and the vault's name.
    let digest: Digest
    var table: KeyringTable
    private let keyring: [UInt8]

    /// A vault that is not there yet, without a slot.
    init(name: String) throws(CipherError) {
        identifier = try VaultIdentifier.random()
        digest = try Self.digest(identifier, name)
        table = KeyringTable()
        keyring = []
    }

    /// The record under a name, of which nothing is believed; `nil` where its bytes are not what a
    /// vault's are.
    init?(reading bytes: [UInt8], name: String) throws(CipherError) {
        guard bytes.count == Self.headByteCount + Keyring.copyByteCount else { return nil }
        let identifier = bytes.withView { view -> VaultIdentifier? in
            guard view.load(UInt64.self, at: 0) == Self.magic,
                view.load(UInt16.self, at: 8) == Self.version,
                (10..<16).allSatisfy({ view.load(UInt8.self, at: $0) == 0 })
            else { return nil }
            return VaultIdentifier(view.slice(16, VaultIdentifier.byteCount))
        }
        guard let identifier else { return nil }
        let keyring = Array(bytes[Self.headByteCount...])
        guard let table = try Keyring.table(ofBytes: keyring) else { return nil }
        self.identifier = identifier
        self.keyring = keyring
        self.table = table
        digest = try Self.digest(identifier, name)
    }

    /// The secret, by whichever of its slots a key opens.
    func open(with key: StoreKey) throws(KeyringError) -> VaultSecret {
        try keyring.withView { copy throws(KeyringError) in
            let opened = try Keyring.open(
                copies: [copy], userKey: key, fileIdentifier: identifier, headerDigest: digest)
            return VaultSecret(opened.takeMaster())
        }
    }

    /// Whether a holder of the secret wrote the record.
    func isAuthentic(under secret: borrowing MasterSecret) throws(CipherError) -> Bool {
        try Keyring.table(ofBytes: keyring, under: secret, headerDigest: digest) != nil
    }

    /// The record's bytes, after a change: of the next generation.
    func bytes(under secret: borrowing MasterSecret) throws(CipherError) -> [UInt8] {
        try Self.head(identifier) + table.bytes(under: secret, headerDigest: digest)
    }

    private static func head(_ identifier: VaultIdentifier) -> [UInt8] {
        magic.littleEndianBytes + version.littleEndianBytes + [UInt8](repeating: 0, count: 6)
            + identifier.bytes
    }

    private static func digest(
        _ identifier: VaultIdentifier, _ name: String
    ) throws(CipherError) -> Digest {
        try (head(identifier) + Array(name.utf8)).withView { view throws(CipherError) in
            try KeyDerivation.sha256(view)
        }
    }
}
