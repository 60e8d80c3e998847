import Bulla
import Foundation
import PasswordNotebook
import Testing

@Suite struct `A notebook` {
    private let folder: Folder

    init() throws { folder = try Folder() }

    private func names(_ notebook: Notebook) throws -> [String] {
        try notebook.entries().map(\.name)
    }

    @Test func `keeps logins and their passwords, and shows none of them in its file`() throws {
        let logins = ["canary-bank", "canary-mail"]
        try folder.notebook("home", "correct horse", logins: logins).close()
        let notebook = try Notebook.open(
            at: folder.path("home"), password: secret("correct horse"))
        #expect(try names(notebook) == logins)
        let login = Login(user: "ada", site: "canary-mail.example")
        #expect(try notebook.login("canary-mail") == login)
        let password = Password(text: "liam-yranac", date: .seconds(86_400))
        #expect(try notebook.passwords(of: "canary-mail").map { try $0.get() } == [password])
        #expect(try notebook.login("canary") == nil)
        #expect(try notebook.delete("canary-mail") && !notebook.delete("canary-mail"))
        #expect(try notebook.passwords(of: "canary-mail").isEmpty)
        try notebook.close()
        let bytes = try folder.bytes("home")
        // These words are long enough not to occur in ciphertext by chance.
        for word in ["canary", "yranac", "example"] {
            #expect(bytes.range(of: Data(word.utf8)) == nil)
        }
    }

    @Test func `is made where there is no file, and opened where there is one`() throws {
        let path = folder.path("home")
        #expect(refusal { _ = try Notebook.open(at: path, password: secret("p")) } == .io)
        try folder.notebook("home", "p").close()
        #expect(refusal { _ = try folder.notebook("home", "p") } == .invalidArgument)
    }

    @Test func `is one of several that are open, and refuses the passwords of the others`() throws {
        let names = ["home", "shared", "work"]
        let notebooks = try names.map {
            try folder.notebook($0, "password of \($0)", logins: ["login of \($0)"])
        }
        for (notebook, name) in zip(notebooks, names) {
            #expect(try self.names(notebook) == ["login of \(name)"])
            for other in names where other != name {
                let code = refusal {
                    _ = try Notebook.open(
                        at: folder.path(name), password: secret("password of \(other)"))
                }
                #expect(code == .wrongKey)
            }
        }
        // Locking one notebook does not lock the other.
        notebooks[0].lock()
        #expect(refusal { _ = try notebooks[0].login("login of home") } == .vaultLocked)
        #expect(try notebooks[1].login("login of shared")?.user == "ada")
        for notebook in notebooks { try notebook.close() }
    }

    @Test func `shows damaged entries as damaged, among whole ones`() throws {
        let notebook = try folder.notebook("home", "p", logins: ["bank", "mail", "shop"])
        try notebook.save(
            Login(user: "ada"), named: "bank", password: "another", date: .seconds(999_999))
        for tree in ["logins", "logins.history"] {
            try folder.damageFirst(of: tree, in: "home", "p")
        }
        let states = try notebook.entries().map { entry in
            "\(entry.name): \(refusal { _ = try entry.login.get() }?.rawValue ?? "whole")"
        }
        #expect(states == ["bank: sealDamaged", "mail: whole", "shop: whole"])
        #expect(refusal { _ = try notebook.login("bank") } == .sealDamaged)
        let passwords = try notebook.passwords(of: "bank")
        #expect(refusal { _ = try passwords[0].get() } == .sealDamaged)
        #expect(try passwords[1].get().text == "knab")
        // Saving the entry again repairs it.
        try notebook.save(Login(user: "eve"), named: "bank", date: .zero)
        #expect(try notebook.login("bank")?.user == "eve")
        try notebook.close()
    }

    @Test func `refuses an entry that was put in from another notebook`() throws {
        let notebook = try folder.notebook("home", "p", logins: ["mail"])
        try folder.notebook("work", "q", logins: ["mail"]).close()
        var foreign: [UInt8]?
        try folder.edit("work", "q") { store, _ in
            foreign = try store.read { try $0.value(forKey: "mail", in: $0.tree(named: "logins")) }
        }
        let blob = try #require(foreign)
        try folder.edit("home", "p") { store, _ in
            try store.write { try $0.put(blob, forKey: "mail", in: $0.tree(named: "logins")) }
        }
        #expect(refusal { _ = try notebook.login("mail") } == .otherVault)
        try notebook.close()
    }

    @Test func `remembers the last passwords of a login, newest first`() throws {
        let notebook = try folder.notebook("home", "p")
        for day in 0..<12 {
            try notebook.save(
                Login(user: "ada"), named: "mail", password: "password \(day)",
                date: .seconds(86_400 * day))
        }
        let passwords = try notebook.passwords(of: "mail").map { try $0.get() }
        #expect(passwords.map(\.text) == (2..<12).reversed().map { "password \($0)" })
        #expect(passwords.first?.date == .seconds(86_400 * 11))
        // Saving the same password again adds nothing to the former passwords.
        try notebook.save(
            Login(user: "eve"), named: "mail", password: "password 11", date: .seconds(1e9))
        #expect(try notebook.passwords(of: "mail").map { try $0.get() } == passwords)
        try notebook.close()
    }

    @Test func `opens nothing while it is locked, and lists its names`() throws {
        var notebook = try folder.notebook("home", "p", logins: ["bank", "mail"])
        notebook.lock()
        for entry in try notebook.entries() {
            #expect(refusal { _ = try entry.login.get() } == .vaultLocked)
        }
        #expect(try names(notebook) == ["bank", "mail"])
        #expect(refusal { _ = try notebook.login("mail") } == .vaultLocked)
        for password in try notebook.passwords(of: "mail") {
            #expect(refusal { _ = try password.get() } == .vaultLocked)
        }
        #expect(refusal { try notebook.changePassword(to: secret("q")) } == .vaultLocked)
        #expect(refusal { try notebook.unlock(secret("q")) } == .wrongKey)
        #expect(refusal { _ = try notebook.login("mail") } == .vaultLocked)
        try notebook.unlock(secret("p"))
        #expect(try notebook.login("mail")?.user == "ada")
        try notebook.close()
        #expect(refusal { _ = try notebook.login("mail") } == .closed)
    }
}
