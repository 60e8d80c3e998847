import Bulla
import BullaCipher
import BullaMemory
import BullaProcessSupport
import BullaWorker

/// What the keys of a vault are, by name and as bytes to search for.
struct VaultSecrets {
    /// A key, whose two halves are searched for with it.
    enum Name: CaseIterable {
        /// What the password is stretched to, which seals the vault's slot.
        case stretched
        case secret
        /// Of the first epoch, and of the second.
        case first, second
        /// What hides the keys of entities.
        case index
    }

    private let keys: [(name: Name, bytes: [UInt8])]
    private let index: HMAC

    /// - Parameters:
    ///   - record: the vault's, as its tree has it.
    ///   - tree: the number of a tree whose keys are hidden.
    init(record: [UInt8], vault: String, password: [UInt8], tree: UInt64) throws {
        let head = Array(record[..<32])
        let ring = Array(record[32...])
        guard let slot = try Keyring.table(ofBytes: ring)?.slots.first else { throw WorkerFailed() }
        // SAFETY: bytes of integers may be looked at as bytes.
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
        // SAFETY: bytes of integers may be looked at as bytes.
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

    /// What stands in a tree in the place of an entity's key.
    func hidden(_ key: [UInt8]) throws -> [UInt8] {
        // SAFETY: bytes of integers may be looked at as bytes.
        try unsafe key.span.bytes.withView { try index.digest(of: [$0]).bytes }
    }

    var search: CanarySearch { CanarySearch(keys.map(\.bytes)) }

    func names(_ found: Set<Int>) -> Set<Name> { Set(found.map { keys[$0].name }) }
}
