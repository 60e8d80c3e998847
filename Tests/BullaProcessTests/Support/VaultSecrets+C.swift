import Bulla
import BullaCipher
import BullaMemory
import BullaProcessSupport
import BullaWorker

/// A vault's keys, by name and as bytes to search for.
struct VaultSecrets {
    /// A key; each half is also searched for.
    enum Name: CaseIterable {
        /// The key that results from stretching the password, and that seals the vault's slot.
        case stretched
        case secret
        /// The keys of the first epoch, and of the second.
        case first, second
        /// The key that hides the keys of entities.
        case index
    }

    private let keys: [(name: Name, bytes: [UInt8])]
    private let index: HMAC

    /// - Parameters:
    ///   - record: the vault's record, as stored in its tree.
    ///   - tree: the number of a tree whose keys are hidden.
    init(record: [UInt8], vault: String, password: [UInt8], tree: UInt64) throws {
        let head = Array(record[..<32])
        let ring = Array(record[32...])
        guard let slot = try Keyring.table(ofBytes: ring)?.slots.first else { throw WorkerFailed() }
        // SAFETY: integers may be read as bytes.
        (keys, index) = try unsafe password.span.bytes.withView { password in
            let stretching = try unsafe slot.stretching.span.bytes.withView { bytes in
                try BullaCipher.PasswordStretching.load(from: bytes)
            }
            guard let stretching else { throw WorkerFailed() }
            let user = try stretching.userKey(password: password, salt: slot.salt)
            let master = try Self.master(ring, head, vault, user)
            let index = try master.vaultIndexKey(tree: tree)
            let keys: [(Name, [UInt8])] = [
                (.stretched, user.withBytes { $0.withView { $0.copied() } }),
                (.secret, master.withBytes { $0.withView { $0.copied() } }),
                (.first, try master.vaultKey(epoch: 1).withView { $0.copied() }),
                (.second, try master.vaultKey(epoch: 2).withView { $0.copied() }),
                (.index, index.withView { $0.copied() }),
            ]
            return (keys, try HMAC(key: index))
        }
    }

    /// Opens the record's keyring, which is bound to the record's head and the vault's name.
    private static func master(
        _ ring: [UInt8], _ head: [UInt8], _ vault: String, _ user: UserKey
    ) throws -> MasterSecret {
        let bound = head + Array(vault.utf8)
        // SAFETY: integers may be read as bytes.
        let digest = try unsafe bound.span.bytes.withView { try KeyDerivation.sha256($0) }
        let identifier = unsafe head.span.bytes.withView { FileIdentifier($0.slice(16, 16)) }
        let secret = try unsafe ring.span.bytes.withView { ring in
            try Keyring.open(
                copies: [ring], userKey: user, fileIdentifier: identifier, headerDigest: digest
            ).takeMaster().withBytes { $0.withView { $0.copied() } }
        }
        return try MasterSecret(
            copying: unsafe secret.span.bytes, fileIdentifier: identifier)
    }

    /// What a tree stores in place of an entity's key.
    func hidden(_ key: [UInt8]) throws -> [UInt8] {
        // SAFETY: integers may be read as bytes.
        try unsafe key.span.bytes.withView { try index.digest(of: [$0]).bytes }
    }

    var search: CanarySearch { CanarySearch(keys.map(\.bytes)) }

    func names(_ found: Set<Int>) -> Set<Name> { Set(found.map { keys[$0].name }) }
}
