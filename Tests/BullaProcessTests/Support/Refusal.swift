import Bulla
import BullaTestSupport

/// The code of the error that an attempt ends with; `nil` where it succeeds, or fails with
/// another's error.
func refusal(_ body: () throws -> Void) -> BullaError.Code? {
    do { try body() } catch { return (error as? BullaError)?.code }
    return nil
}

extension TestStore {
    /// The code that opening a file of the folder is refused with.
    ///
    /// Opening waits for long before it says that the store is in use otherwise: no thread that
    /// other tests need does so.
    func openingRefusal(_ name: String = Self.name) async throws -> BullaError.Code? {
        var options = StoreOptions()
        options.creation = .never
        options.lockTimeout = .seconds(1)
        do {
            _ = try await Store.open(at: scratch.path(name), key: try key(), options: options)
        } catch let error as BullaError { return error.code }
        return nil
    }
}
