package import Bulla
internal import BullaMemory

/// The secrets of containers, which the service opens with its own key.
package struct ContainerSecrets: Sendable {
    private let store: Store

    init(_ store: Store) { self.store = store }

    /// The keys of a container, derived from its secret in the keyring.
    ///
    /// - Parameters:
    ///   - key: the service's key, the same for all containers.
    ///   - mayCreate: whether to create a missing secret. It must be false if records of the
    ///     container exist, because they would not open under another secret.
    /// - Throws: `authenticationFailed` if the key is not the service's; `unknownItem` if there is
    ///   no secret and none may be created; `damaged`, `unavailable`, `internalError`.
    package func keys(
        of place: Place, with key: StoreKey, mayCreate: Bool = true
    ) throws(RecordError) -> ContainerKeys {
        try RecordError.attempt("open container \(place.container)") {
            let vault = try openVault(key, place, mayCreate: mayCreate)
            defer { vault.lock() }
            let name = Self.name(place)
            if let keys = try keys(place, vault, name) { return keys }
            guard mayCreate else { throw Self.noSecret(place) }
            try createSecret(vault, name)
            guard let keys = try keys(place, vault, name) else {
                throw Self.noSecret(place)
            }
            return keys
        }
    }

    private func keys(
        _ place: Place, _ vault: Vault, _ name: [UInt8]
    ) throws -> ContainerKeys? {
        let found = try store.read { snapshot -> (Tree, [UInt8])? in
            guard let tree = try snapshot.treeIfPresent(named: Self.tree),
                let blob = try snapshot.value(forKey: name, in: tree)
            else { return nil }
            return (tree, blob)
        }
        guard let (tree, blob) = found else { return nil }
        return try vault.open(blob, for: SealedIdentity(tree: tree, key: name)) { bytes in
            guard bytes.byteCount == ContainerKeys.secretByteCount else {
                throw RecordError(
                    .damaged, "open container \(place.container): its secret has a wrong length")
            }
            return try ContainerKeys(place, SecretBytes(copying: bytes))
        }
    }

    /// Creates a container's secret, unless another process has just created one.
    private func createSecret(_ vault: Vault, _ name: [UInt8]) throws {
        let secret = try SecretBytes.random(byteCount: ContainerKeys.secretByteCount)
        try store.write { change in
            let tree = try change.openOrCreateTree(named: Self.tree)
            guard try change.value(forKey: name, in: tree) == nil else { return }
            let blob = try vault.seal(secret, for: SealedIdentity(tree: tree, key: name))
            try change.put(blob, forKey: name, in: tree)
        }
    }

    private func openVault(
        _ key: StoreKey, _ place: Place, mayCreate: Bool
    ) throws -> Vault {
        for _ in 0..<3 {
            do throws(BullaError) {
                return try store.openVault(named: Self.vault, key: key)
            } catch {
                guard error.code == .vaultNotFound else { throw error }
            }
            guard mayCreate else { throw Self.noSecret(place) }
            do throws(BullaError) {
                return try store.createVault(named: Self.vault, keys: [key])
            } catch {
                guard error.code == .vaultExists else { throw error }
            }
        }
        throw RecordError(.unavailable, "open the service's vault: others keep deleting it")
    }

    private static let tree = "containers"
    private static let vault = "service"

    private static func noSecret(_ place: Place) -> RecordError {
        RecordError(
            .unknownItem, "open container \(place.container): its secret is not in the keyring")
    }
}

/// Looks up existing containers.
extension ContainerSecrets {
    private static func name(_ place: Place) -> [UInt8] { ByteTuple("container", place).bytes }

    /// Whether the keyring has a container's secret.
    package func contains(_ place: Place) throws(RecordError) -> Bool {
        try RecordError.attempt("look up container \(place.container)") {
            try store.read { snapshot in
                guard let tree = try snapshot.treeIfPresent(named: Self.tree) else {
                    return false
                }
                return try snapshot.value(forKey: Self.name(place), in: tree) != nil
            }
        }
    }

    /// All containers, in all their environments.
    package func places() throws(RecordError) -> [Place] {
        try RecordError.attempt("list containers") {
            try store.read { snapshot in
                guard let tree = try snapshot.treeIfPresent(named: Self.tree) else {
                    return []
                }
                var places: [Place] = []
                try snapshot.scan(tree) { key, _ in
                    places += [UInt8](copying: key).withView { Self.place($0) }.map { [$0] } ?? []
                    return .next
                }
                return places
            }
        }
    }

    /// The place that a key of the tree names; `nil` if it names none.
    private static func place(_ key: ByteView) -> Place? {
        var cursor = ByteCursor(key)
        guard cursor.nextText() == "container", let container = cursor.nextText(),
            cursor.next(UInt32.self) == 1, let environment = cursor.next(UInt8.self),
            let known = Environment(rawValue: environment), cursor.isAtEnd
        else { return nil }
        return Place(container, known)
    }
}
