import Bulla
import PasswordNotebook
import Testing

@Suite struct `A change of a notebook's password` {
    private let folder: Folder

    init() throws { folder = try Folder() }

    private func open(_ password: String) throws -> Notebook {
        try Notebook.open(at: folder.path("home"), password: secret(password))
    }

    private func slotCounts(_ password: String) throws -> [Int] {
        var counts: [Int] = []
        try folder.edit("home", password) { store, _ in
            counts = [
                try store.keySlots().count, try store.keySlots(ofVaultNamed: "passwords").count,
            ]
        }
        return counts
    }

    @Test func `shuts the former one out, and leaves the entries as they are`() throws {
        let notebook = try folder.notebook("home", "old", logins: ["mail"])
        try notebook.changePassword(to: secret("new"))
        #expect(try notebook.login("mail")?.user == "ada")
        try notebook.close()
        #expect(refusal { _ = try open("old") } == .wrongKey)
        var again = try open("new")
        #expect(try again.login("mail")?.user == "ada")
        #expect(try again.passwords(of: "mail").first?.get().text == "liam")
        again.lock()
        #expect(refusal { try again.unlock(secret("old")) } == .wrongKey)
        try again.unlock(secret("new"))
        try again.close()
        #expect(try slotCounts("new") == [1, 1])
    }

    /// Wherever the change stops, one password opens both the store and the vault.
    ///
    /// The next time the notebook is opened, the change is completed if the store already has the
    /// new password, and undone otherwise.
    @Test(arguments: [false, true])
    func `that was cut short leaves one password for both`(isStoreChanged: Bool) throws {
        try folder.notebook("home", "old", logins: ["mail"]).close()
        let recovery = try StoreKey.random()
        try folder.edit("home", "old") { store, key in
            let vault = try store.openVault(named: "passwords", key: key)
            _ = try vault.addSlot(for: recovery, label: "recovery")
            let new = try StoreKey.password(secret("new"))
            _ = try vault.addSlot(for: new)
            if isStoreChanged { try store.changeKey(to: new) }
        }
        let (whole, gone) = isStoreChanged ? ("new", "old") : ("old", "new")
        #expect(refusal { _ = try open(gone) } == .wrongKey)
        let notebook = try open(whole)
        #expect(try notebook.login("mail")?.user == "ada")
        try notebook.close()
        #expect(try slotCounts(whole) == [1, 2])
        try folder.edit("home", whole) { store, _ in
            _ = try store.openVault(named: "passwords", key: recovery)
        }
    }
}
