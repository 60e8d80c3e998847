public import Bulla

/// A file of logins and their passwords, opened with a single password.
///
/// The password opens two things. The *store* encrypts every page, so the file does not reveal the
/// names of the logins, and a read detects any change to the pages that it reads. The *vault* in
/// the store seals each login and each password separately. So none is opened before it is needed,
/// and a damaged one does not affect the others. After ``lock()`` none can be opened, but the names
/// can still be listed.
///
/// Several notebooks can be open at once, each with its own password.
public struct Notebook: Sendable {
    /// How many passwords of a login are kept, including the current one.
    public static let passwordLimit = 10
    private static let vaultName = "passwords"

    let store: Store
    private(set) var vault: Vault

    var logins: SealedCollection<Login> { SealedCollection("logins", in: vault) }
    var passwords: SealedHistory<String> {
        logins.history(ofProperty: 1, as: String.self, keeping: Self.passwordLimit)
    }

    /// Creates a notebook.
    ///
    /// - Throws: `invalidArgument` if the file exists; otherwise the errors of `Store.open`.
    public static func create(at path: String, password: Secret) throws(BullaError) -> Notebook {
        try Notebook(path, .password(password), .exclusive)
    }

    /// Opens a notebook.
    ///
    /// - Throws: `wrongKey` for a wrong password; `io` if there is no file; and the errors of
    ///   `Store.open` for files that are damaged or in use.
    public static func open(at path: String, password: Secret) throws(BullaError) -> Notebook {
        try Notebook(path, .password(password), .never)
    }

    private init(
        _ path: String, _ key: StoreKey, _ creation: StoreOptions.Creation
    ) throws(BullaError) {
        store = try Store.open(at: path, key: key, options: StoreOptions(creation: creation))
        // A process that was killed during the creation may have left a store without its vault.
        let isWhole = try store.vaultNames().contains(Self.vaultName)
        vault =
            isWhole
            ? try store.openVault(named: Self.vaultName, key: key)
            : try store.createVault(named: Self.vaultName, keys: [key])
        try finishChange(to: key)
    }

    /// Wipes the vault's keys; the names can still be listed.
    public func lock() { vault.lock() }

    /// Opens the vault again, so that entries can be opened.
    ///
    /// - Throws: `wrongKey` for a wrong password; the notebook stays locked.
    public mutating func unlock(_ password: Secret) throws(BullaError) {
        vault = try store.openVault(named: Self.vaultName, key: .password(password))
    }

    /// Locks the notebook, and closes its file.
    public func close() throws(BullaError) { try store.close() }

    /// Changes the password of the notebook, in time that does not depend on the notebook's size.
    ///
    /// The store and the vault each have a slot for the password, and no transaction covers both.
    /// So the vault first gets a slot for the new password, then the store's password changes, and
    /// then the vault loses its slot for the old one. Wherever the change is interrupted, the
    /// password that opens the store also opens the vault. The old password still opens any copy of
    /// the file that was made before the change.
    ///
    /// - Throws: `vaultLocked`; the errors of `Store.changeKey(to:)`.
    public func changePassword(to password: Secret) throws(BullaError) {
        let key = try StoreKey.password(password)
        _ = try vault.addSlot(for: key)
        try store.changeKey(to: key)
        try finishChange(to: key)
    }

    /// Merges the vault's unlabelled password slots into one, which `key` opens.
    ///
    /// The slots that have a label, or are not for passwords, stay as they are.
    private func finishChange(to key: StoreKey) throws(BullaError) {
        let slots = try vault.keySlots().filter { $0.kind == .password && $0.label == nil }
        guard slots.count > 1 else { return }
        try vault.changeSlot(slots[0].number, to: key)
        for slot in slots.dropFirst() { try vault.removeSlot(slot.number) }
    }
}
