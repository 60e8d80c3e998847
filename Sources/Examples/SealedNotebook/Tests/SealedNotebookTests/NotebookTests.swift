import Bulla
import BullaObjects
import Foundation
import SealedNotebook
import Testing

@Suite struct `A notebook of sealed logins` {
    private let folder: Folder

    init() throws { folder = try Folder() }

    private func names(_ notebook: Notebook) throws -> [String] {
        try notebook.logins().map { try $0.name }
    }

    @Test func `keeps them, and shows none of them in its file`() throws {
        try folder.notebook("home", "correct horse", logins: ["canary-bank", "canary-mail"]).close()
        let notebook = try folder.open("home", "correct horse")
        #expect(try names(notebook) == ["canary-bank", "canary-mail"])
        let login = try #require(try notebook.login("canary-mail")?.open())
        #expect(login.user == "ada")
        #expect(try text(login.password) == "liam-yranac")
        #expect(try notebook.login("canary") == nil)
        #expect(try notebook.delete("canary-mail") && !notebook.delete("canary-mail"))
        try notebook.close()
        let bytes = try folder.bytes("home")
        // These words are long enough not to occur in ciphertext by chance.
        for word in ["canary", "yranac"] {
            #expect(bytes.range(of: Data(word.utf8)) == nil)
        }
    }

    @Test func `opens nothing before somebody looks at it`() throws {
        let notebook = try folder.notebook("home", "p", logins: ["bank", "mail", "shop"])
        let vault = try notebook.database.openVault(named: "logins", key: .password(Secret("p")))
        #expect(try names(notebook) == ["bank", "mail", "shop"])
        let sealed = try #require(try notebook.login("mail"))
        #expect(vault.statistics.openedCount == 0)
        let login = try sealed.open()
        #expect(vault.statistics.openedCount == 1)
        #expect(try text(login.password) == "liam")
        #expect(vault.statistics.openedCount == 2)
        try notebook.close()
    }

    @Test func `is one of three that are open, and refuses the passwords of the others`() throws {
        let names = ["home", "shared", "work"]
        let notebooks = try names.map { name in
            try folder.notebook(name, "password of \(name)", logins: ["login of \(name)"])
        }
        for (notebook, name) in zip(notebooks, names) {
            #expect(try notebook.login("login of \(name)")?.open().user == "ada")
            for other in names where other != name {
                let password = "password of \(other)"
                #expect(refusal { _ = try folder.open(name, password) } == .wrongKey)
            }
        }
        // Locking one notebook does not lock the other.
        notebooks[0].lock()
        #expect(refusal { _ = try notebooks[0].login("login of home")?.open() } == .vaultLocked)
        #expect(try notebooks[1].login("login of shared")?.open().user == "ada")
        for notebook in notebooks { try notebook.close() }
    }

    @Test func `remembers nine former passwords, the newest first`() throws {
        let notebook = try folder.notebook("home", "p")
        for day in 0..<12 {
            let password = try Secret("password \(day)")
            try notebook.save(Login(name: "mail", user: "ada", password: password))
        }
        func former() throws -> [String] { try notebook.formerPasswords(of: "mail").map(text) }
        let days = (2..<11).reversed().map { "password \($0)" }
        #expect(try former() == days)
        // Saving the same password again adds nothing to the former passwords.
        try notebook.save(Login(name: "mail", user: "eve", password: Secret("password 11")))
        #expect(try notebook.login("mail")?.open().user == "eve")
        #expect(try former() == days)
        try notebook.close()
    }

    @Test func `opens nothing while it is locked, and lists its names`() throws {
        let notebook = try folder.notebook("home", "p", logins: ["bank", "mail"])
        try notebook.save(Login(name: "mail", user: "eve", password: Secret("new")))
        let login = try #require(try notebook.login("mail")?.open())
        notebook.lock()
        #expect(try names(notebook) == ["bank", "mail"])
        #expect(refusal { _ = try notebook.login("mail")?.open() } == .vaultLocked)
        // The login was opened before, but its password stayed sealed, so now it cannot be opened.
        #expect(refusal { _ = try text(login.password) } == .vaultLocked)
        let former = try notebook.formerPasswords(of: "mail")
        #expect(former.count == 1)
        #expect(refusal { _ = try text(former[0]) } == .vaultLocked)
        #expect(refusal { try notebook.save(login) } == .vaultLocked)
        #expect(refusal { try notebook.unlock(Secret("q")) } == .wrongKey)
        #expect(refusal { _ = try notebook.login("mail")?.open() } == .vaultLocked)
        try notebook.unlock(Secret("p"))
        #expect(try notebook.login("mail")?.open().user == "eve")
        try notebook.close()
    }
}
