import Bulla
import BullaTestSupport

/// The code of the library's error that an attempt throws; `nil` if it succeeds, or throws another
/// error.
func refusal(_ body: () throws -> Void) -> BullaError.Code? {
    do { try body() } catch { return (error as? BullaError)?.code }
    return nil
}

extension TestStore {
    /// The code with which opening a file of the folder is refused.
    ///
    /// Opening waits for a second before it reports that the store cannot be joined now, so it must
    /// not block a thread that other tests need.
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
