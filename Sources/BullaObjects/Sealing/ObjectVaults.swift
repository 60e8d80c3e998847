internal import Bulla
internal import Synchronization

/// The vaults that a database uses, by name.
package final class ObjectVaults: Sendable {
    private struct Given {
        let vault: Vault
        /// The tree to which the vault's blobs are bound.
        let tree: Tree
    }

    private let given = Mutex<[String: Given]>([:])

    package init() {}

    func add(_ vault: Vault, _ tree: Tree) {
        given.withLock { $0[vault.name] = Given(vault: vault, tree: tree) }
    }

    func remove(_ name: String) -> Vault? {
        given.withLock { $0.removeValue(forKey: name)?.vault }
    }

    /// Runs an operation of a vault.
    ///
    /// - Throws: `sealed`; its message says what was attempted, and its cause is the vault's error.
    func using<R>(
        _ name: String, _ attempt: @autoclosure () -> String,
        _ body: (Vault, Tree) throws(BullaError) -> R
    ) throws(ObjectError) -> R {
        do throws(BullaError) {
            guard let given = given.withLock({ $0[name] }) else {
                throw BullaError(
                    .vaultLocked,
                    "use vault \(name): the database has not opened it, or has locked it")
            }
            return try body(given.vault, given.tree)
        } catch {
            throw ObjectError(sealed: attempt(), error)
        }
    }
}
