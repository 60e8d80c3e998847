import Bulla
import BullaTestSupport
import Testing

/// The error with which the store refuses an attempt; `nil` if the attempt succeeds, or throws an
/// error that is not a `BullaError`.
func refusal(_ body: () throws -> Void) -> BullaError? {
    do {
        try body()
        return nil
    } catch { return error as? BullaError }
}

/// The same for an asynchronous attempt.
func refusal(_ body: () async throws -> Void) async -> BullaError? {
    do {
        try await body()
        return nil
    } catch { return error as? BullaError }
}

extension BullaError? {
    /// Whether there is an error whose message contains this text.
    func says(_ text: String) -> Bool { self?.message.contains(text) == true }
}

extension Scratch {
    /// Expects that opening a file is refused, and changes neither a byte of the file nor the names
    /// in the folder.
    @discardableResult
    func expectRefusal(
        _ code: BullaError.Code, of name: String, key: [UInt8]? = nil,
        options: StoreOptions = StoreOptions(), sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> BullaError? {
        let (bytes, names) = (try? bytes(name), try names())
        let key = try key.map { try StoreKey($0) }
        let error = refusal { _ = try Store.open(at: path(name), key: key, options: options) }
        #expect(error?.code == code, "\(String(describing: error))", sourceLocation: sourceLocation)
        #expect(error.says(path(name)), sourceLocation: sourceLocation)
        #expect((try? self.bytes(name)) == bytes, sourceLocation: sourceLocation)
        #expect(try self.names() == names, sourceLocation: sourceLocation)
        return error
    }

    /// Makes a small store with some entries, and closes it cleanly.
    func makeStore(_ name: String, _ kind: StoreKind, pageByteCount: Int = 4096) throws {
        let store = try kind.open(path(name), pageByteCount: pageByteCount)
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "pets")
            for number in 0..<200 {
                try change.put("value \(number)", forKey: "key \(number)", in: tree)
            }
            try change.put(
                [UInt8](repeating: 7, count: 3 * pageByteCount), forKey: "large", in: tree)
        }
        try store.close()
    }
}
