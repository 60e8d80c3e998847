import Bulla
import Foundation

/// The samples of `Vaults.md`, in its order.
struct VaultsPage {
    static let source = #filePath
    let password: Secret

    init() throws { password = try "correct horse".withBytes { try Secret($0) } }

    func run() async throws {
        try await inFolder("Overview") { try overview() }
        try await inFolder("Saving, and former values") { try history() }
    }

    private func overview() throws {
        let store = try Store.open(at: "plain.bulla")
        let vault = try store.createVault(named: "passwords", keys: [.password(password)])

        struct Login: Codable, Sendable { var user: String; var notes: String }
        let logins = SealedCollection<Login>("logins", in: vault)

        try store.write { change in
            try logins.save(Login(user: "ada", notes: ""), forKey: "mail", in: &change)
        }
        let login = try store.read { try logins.fetch("mail", in: $0) }  // nothing is opened
        print(try login?.open().user ?? "none")  // opened here

        vault.lock()  // its keys are wiped
        try store.close()
    }

    private func history() throws {
        let store = try Store.open(at: "plain.bulla")
        let vault = try store.createVault(named: "passwords", keys: [.random()])
        let logins = SealedCollection<String>("logins", in: vault)
        let now: Duration = .seconds(Date.now.timeIntervalSince1970)
        let passwords = logins.history(ofProperty: 1, as: String.self, keeping: 10)
        try store.write { change in
            try passwords.append("correct horse", forKey: "mail", timeSince1970: now, in: &change)
        }
        try store.close()
    }
}
