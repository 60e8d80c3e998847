import Bulla
import Foundation
import Testing

@Suite struct `A vault` {
    private let scratch: Scratch
    private let key = ["--vault-key-source", "file:vault.key"]

    init() throws {
        scratch = try Scratch()
        try scratch.makePlain()
        try scratch.bulla("keygen", "vault.key")
        let run = try scratch.bulla(
            ["vault", "create", "p.bulla", "logins", "--label", "paper"] + key)
        try #require(run.status == Status.success && run.output.isEmpty, "\(run.errors)")
    }

    /// Seals entries in the vault, as a program would.
    private func seal(_ cleartext: String, for keys: [String]) throws {
        let path = scratch.path("p.bulla").path
        let store = try Store.open(at: path)
        let vaultKey = try StoreKey(contentsOfFile: scratch.path("vault.key").path)
        let vault = try store.openVault(named: "logins", key: vaultKey)
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "mails")
            for key in keys {
                let blob = try vault.seal(cleartext, for: SealedIdentity(tree: tree, key: key))
                try change.put(blob, forKey: key, in: tree)
            }
        }
        try store.close()
    }

    private func open(_ options: String...) throws -> CommandRun {
        try scratch.bulla(["vault", "open", "p.bulla", "logins"] + options)
    }

    @Test func `is made once, listed and dropped`() throws {
        #expect(try scratch.bulla("vault", "list", "p.bulla").text == "logins\n")
        let again = try scratch.bulla(["vault", "create", "p.bulla", "logins"] + key)
        #expect(again.status == Status.cannotCreate)
        let listed = try scratch.bulla("vault", "list", "p.bulla", "--json")
        #expect(listed.text == "{\"name\":\"logins\"}\n")
        #expect(try scratch.bulla("vault", "drop", "p.bulla", "logins").status == Status.success)
        #expect(try scratch.bulla("vault", "list", "p.bulla").text.isEmpty)
        #expect(try scratch.bulla("vault", "drop", "p.bulla", "logins").status == Status.notFound)
    }

    @Test func `has slots that are listed without its key`() throws {
        let run = try scratch.bulla("vault", "slots", "p.bulla", "logins")
        #expect(run.lines.last?.split(separator: " ") == ["1", "key", "paper", "-"])
        #expect(run.errors.contains("no key of it verified anything"))
        #expect(try scratch.bulla("vault", "slots", "p.bulla", "none").status == Status.notFound)
    }

    @Test func `gives the cleartext of one blob, byte for byte`() throws {
        try seal("hunter2\u{7}", for: ["ada"])
        let place = ["--tree", "mails", "--key", "ada"]
        let run = try scratch.bulla(["vault", "open", "p.bulla", "logins"] + key + place)
        #expect(run.text == "hunter2\u{7}" && run.errors.isEmpty, "\(run.errors)")
        let digits = try scratch.bulla(
            ["vault", "open", "p.bulla", "logins", "--hex", "--tree", "mails"] + key
                + ["--key", "616461"])
        #expect(digits.text == "68756e7465723207\n")
        let object = try open("--tree", "mails", "--key", "ada", "--json", key[0], key[1])
        #expect(object.member("cleartext") == "hunter2\u{7}", "\(object.errors)")
        let missing = try open("--tree", "mails", "--key", "eve", key[0], key[1])
        #expect(missing.status == Status.notFound)
    }

    @Test func `opens under its own key alone, and nothing that was moved`() throws {
        try seal("hunter2", for: ["ada", "eve"])
        try scratch.bulla("keygen", "other.key")
        let place = ["--tree", "mails", "--key", "ada"]
        let wrong = try scratch.bulla(
            ["vault", "open", "p.bulla", "logins", "--vault-key-file", "other.key"] + place)
        #expect(wrong.status == Status.noPermission && wrong.output.isEmpty)
        try scratch.shell(
            #"""
            "$BULLA" get p.bulla mails eve > blob
            "$BULLA" put p.bulla mails ada --value-file blob
            """#)
        let moved = try scratch.bulla(
            ["vault", "open", "p.bulla", "logins", "--json"] + key + place)
        #expect(moved.errorMember("code") == "sealDamaged", "\(moved.errors)")
        #expect(moved.status == Status.damaged && moved.output.isEmpty)
    }

    @Test func `has a password in an encrypted store`() throws {
        try scratch.makeEncrypted()
        try scratch.write("word", "open sesame\n", mode: 0o600)
        let made = try scratch.bulla(
            "vault", "create", "e.bulla", "logins", "--key-file", "key", "--vault-password",
            "--vault-key-file", "word", "--kdf", "pbkdf2")
        #expect(made.status == Status.success, "\(made.errors)")
        let slots = try scratch.bulla(
            "vault", "slots", "e.bulla", "logins", "--json", "--key-file", "key")
        #expect(slots.text.contains("PBKDF2-HMAC-SHA-256, 600000 iterations"))
        #expect(try scratch.bulla("vault", "list", "e.bulla").status == Status.noPermission)
    }

    @Test func `gets, changes and loses slots by their numbers`() throws {
        try seal("hunter2", for: ["ada"])
        for name in ["spare", "other"] { try scratch.bulla("keygen", name) }
        func vault(_ verb: String, _ options: String...) throws -> CommandRun {
            try scratch.bulla(["vault", verb, "p.bulla", "logins"] + options)
        }
        func opens(with file: String) throws -> Bool {
            let run = try vault(
                "open", "--vault-key-file", file, "--tree", "mails", "--key", "ada")
            return run.status == Status.success && run.text == "hunter2"
        }
        let added = try vault(
            "add-slot", "--vault-key-file", "vault.key", "--new-key-file", "spare", "--label",
            "spare", "--json")
        #expect(added.text == "{\"slot\":2}\n", "\(added.errors)")
        #expect(try opens(with: "spare") && opens(with: "vault.key"))
        let changed = try vault(
            "change-slot", "1", "--vault-key-file", "spare", "--new-key-file", "other")
        #expect(changed.status == Status.success && changed.output.isEmpty, "\(changed.errors)")
        #expect(try opens(with: "other") && !opens(with: "vault.key"))
        let listed = try vault("slots")
        #expect(listed.lines.suffix(2).map { $0.split(separator: " ")[2] } == ["paper", "spare"])
        let missing = try vault("remove-slot", "7", "--vault-key-file", "other")
        #expect(missing.status == Status.notFound)
        let wrong = try vault("remove-slot", "1", "--vault-key-file", "vault.key")
        #expect(wrong.status == Status.noPermission)
        let removed = try vault("remove-slot", "2", "--vault-key-file", "other")
        #expect(removed.status == Status.success, "\(removed.errors)")
        #expect(try !opens(with: "spare"))
        let last = try vault("remove-slot", "1", "--vault-key-file", "other")
        #expect(last.status == Status.usage, "\(last.errors)")
        #expect(try opens(with: "other"))
    }

    @Test(arguments: [
        "create p.bulla x", "create p.bulla x --vault-password", "open p.bulla logins",
        "create p.bulla x --vault-key-file vault.key --kdf pbkdf2",
        "create p.bulla x --vault-key-file vault.key --vault-key-fd 3", "lst p.bulla",
    ])
    func `is refused where the command line is wrong`(words: String) throws {
        let run = try scratch.shell("\"$BULLA\" vault \(words)")
        #expect(run.status == Status.usage, "\(run.errors)")
        #expect(!words.hasPrefix("lst") || run.errors.contains("did you mean bulla vault list?"))
    }
}
