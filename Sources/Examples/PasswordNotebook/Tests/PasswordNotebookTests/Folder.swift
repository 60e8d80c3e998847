import Bulla
import Foundation
import PasswordNotebook

/// A folder of notebooks, which is deleted after the test.
final class Folder {
    private let url: URL
    /// The keys, by password, kept because a key remembers the result of stretching its password.
    private var keys: [String: StoreKey] = [:]

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path }

    func bytes(_ name: String) throws -> Data { try Data(contentsOf: url.appending(path: name)) }

    /// Creates a notebook with a login for each name; the password of each is its name backwards.
    func notebook(_ name: String, _ password: String, logins: [String] = []) throws -> Notebook {
        let notebook = try Notebook.create(at: path(name), password: secret(password))
        for (day, login) in logins.enumerated() {
            try notebook.save(
                Login(user: "ada", site: "\(login).example"), named: login,
                password: String(login.reversed()), date: .seconds(86_400 * day))
        }
        return notebook
    }

    /// Edits a notebook's store, as anyone who has its password could.
    func edit(
        _ name: String, _ password: String, _ body: (Store, StoreKey) throws -> Void
    ) throws {
        let key = try keys[password] ?? .password(secret(password))
        keys[password] = key
        let store = try Store.open(at: path(name), key: key)
        try body(store, key)
        try store.close()
    }

    /// Flips a bit in the first blob of a tree.
    func damageFirst(of tree: String, in name: String, _ password: String) throws {
        try edit(name, password) { store, _ in
            try store.write { change in
                let tree = try change.tree(named: tree)
                guard let (key, value) = try change.first(in: tree) else { return }
                var blob = value
                blob[blob.count / 2] ^= 1
                try change.put(blob, forKey: key, in: tree)
            }
        }
    }
}

func secret(_ text: String) throws -> Secret { try text.withBytes { try Secret($0) } }

/// The code of the error that `body` throws; `nil` if it throws none of the engine's errors.
func refusal(_ body: () throws -> Void) -> BullaError.Code? {
    do { try body() } catch { return (error as? BullaError)?.code }
    return nil
}
