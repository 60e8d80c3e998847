import Bulla
import BullaObjects
import Foundation
import SealedNotebook

/// A folder of notebooks, which is deleted after the test.
final class Folder {
    private let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func bytes(_ name: String) throws -> Data { try Data(contentsOf: url.appending(path: name)) }

    func open(
        _ name: String, _ password: String, _ creation: StoreOptions.Creation = .never
    ) throws -> Notebook {
        try Notebook(
            at: url.appending(path: name).path, password: Secret(password), creation: creation)
    }

    /// Creates a notebook with a login for each name; the password of each is its name backwards.
    func notebook(_ name: String, _ password: String, logins: [String] = []) throws -> Notebook {
        let notebook = try open(name, password, .exclusive)
        for login in logins {
            let password = try Secret(String(login.reversed()))
            try notebook.save(Login(name: login, user: "ada", password: password))
        }
        return notebook
    }
}

func text(_ password: Sealed<Secret>) throws -> String {
    try password.withCleartext { String(decoding: $0) }
}

/// The code of the engine's error behind the error that `body` throws; `nil` if there is none.
func refusal(_ body: () throws -> Void) -> BullaError.Code? {
    do { try body() } catch { return (error as? ObjectError)?.cause?.code }
    return nil
}
