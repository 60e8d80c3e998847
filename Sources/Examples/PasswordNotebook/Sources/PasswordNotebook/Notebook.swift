public import Bulla

/// A file of logins and of their passwords, which one password opens.
///
/// The password opens two things. The *store* encrypts every page: the file shows no name of a
/// login, and whatever somebody changes in it is noticed. The *vault* in the store seals each login
/// and each password once more, alone, so that none is opened before somebody looks at it, one that
/// is damaged costs no other, and ``lock()`` shuts them all while the names can still be listed.
///
/// Several notebooks may be open at once, each under a password of its own.
public struct Notebook: Sendable {
    /// How many passwords of a login are remembered, with the one of today.
    public static let passwordLimit = 10
    private static let vaultName = "passwords"

    let store: Store
    private(set) var vault: Vault

    var logins: SealedCollection<Login> { SealedCollection("logins", in: vault) }
    var passwords: SealedHistory<String> {
        logins.history(1, of: String.self, keeping: Self.passwordLimit)
    }

    /// Makes a notebook.
    ///
    /// - Throws: `invalidArgument` where there is a file already; what `Store.open` says.
    public static func create(at path: String, password: Secret) throws(BullaError) -> Notebook {
        try Notebook(path, .password(password), .always)
    }

    /// Opens a notebook.
    ///
    /// - Throws: `wrongKey` for a wrong password; `io` where there is no file; and what
    ///   `Store.open` says of files that are damaged or in use.
    public static func open(at path: String, password: Secret) throws(BullaError) -> Notebook {
        try Notebook(path, .password(password), .never)
    }

    private init(
        _ path: String, _ key: StoreKey, _ creation: StoreOptions.Creation
    ) throws(BullaError) {
        var options = StoreOptions()
        options.creation = creation
        store = try Store.open(at: path, key: key, options: options)
        // A process that was killed while it made the notebook may have left it without its vault.
        let isWhole = try store.vaultNames().contains(Self.vaultName)
        vault =
            isWhole
            ? try store.openVault(Self.vaultName, key: key)
            : try store.createVault(Self.vaultName, keys: [key])
        try finishChange(to: key)
    }

    /// Wipes what opens the entries; their names can still be listed.
    public func lock() { vault.lock() }

    /// Opens the entries again.
    ///
    /// - Throws: `wrongKey` for a wrong password; the notebook stays locked.
    public mutating func unlock(_ password: Secret) throws(BullaError) {
        vault = try store.openVault(Self.vaultName, key: .password(password))
    }

    /// Locks the notebook, and gives up its file.
    public func close() throws(BullaError) { try store.close() }

    /// Gives the notebook another password, in a moment and whatever its size.
    ///
    /// Store and vault have a slot each, and no transaction spans the two. So the vault takes the
    /// new password first and drops the former one last: wherever this is cut short, the password
    /// that opens the store opens the vault too. Somebody who knew the former password, and has a
    /// copy of the file from that time, still knows the secrets that it led to.
    ///
    /// - Throws: `vaultLocked`; what `Store.changeKey(to:)` says.
    public func changePassword(to password: Secret) throws(BullaError) {
        let key = try StoreKey.password(password)
        _ = try vault.addSlot(for: key)
        try store.changeKey(to: key)
        try finishChange(to: key)
    }

    /// Leaves the vault one password, the store's; slots with labels, or of keys, stay.
    private func finishChange(to key: StoreKey) throws(BullaError) {
        let slots = try vault.keySlots().filter { $0.kind == .password && $0.label == nil }
        guard slots.count > 1 else { return }
        try vault.changeSlot(slots[0].number, to: key)
        for slot in slots.dropFirst() { try vault.removeSlot(slot.number) }
    }
}
