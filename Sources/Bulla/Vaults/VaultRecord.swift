internal import BullaCipher
internal import BullaMemory

/// The record of a vault in its store: a value of the tree ``treeName``, under the vault's name.
///
///     offset  bytes  field
///          0      8  magic       "BULLAVLT"
///          8      2  version     1
///         10      6  zeros
///         16     16  identifier  random, identifies the vault
///         32   4096  keyring     slots that hold the vault's secret, as in a store's keyring;
///                                its first epoch is the one under which the vault seals
struct VaultRecord {
    /// An ordinary tree, so that copies of the store include the vaults.
    static let treeName = "bulla.vaults"
    static let nameByteLimit = 255
    private static let magic: UInt64 = 0x544C_5641_4C4C_5542
    private static let version: UInt16 = 1
    private static let headByteCount = 32

    let identifier: VaultIdentifier
    /// A digest of the record's head and the vault's name; each slot is bound to this digest.
    let digest: Digest
    var table: KeyringTable
    private let keyring: [UInt8]

    /// Makes the record of a new vault, without slots.
    init(name: String) throws(CipherError) {
        identifier = try VaultIdentifier.random()
        digest = try Self.digest(identifier, name)
        table = KeyringTable()
        keyring = []
    }

    /// Reads the record of the vault `name`, without trusting it; `nil` if the bytes are not a
    /// record.
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

    /// Gets the secret from a slot that the key opens.
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

    /// The bytes of the record with the current table.
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
