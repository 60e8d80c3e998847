import Accounts
import Bulla
import BullaObjects
import Foundation

/// A folder with a ledger, which is deleted after the test.
final class Folder {
    private let url: URL
    let key: StoreKey

    init() throws {
        key = try .random()
        url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    var path: String { url.appending(path: "ledger.bulla").path }

    func ledger() throws -> Ledger { try Ledger(at: path, key: key) }
}

/// The code of the error that `body` throws; `nil` if it throws none of the library's errors.
func refusal(_ body: () throws -> Void) -> ObjectError.Code? {
    do { try body() } catch { return (error as? ObjectError)?.code }
    return nil
}
