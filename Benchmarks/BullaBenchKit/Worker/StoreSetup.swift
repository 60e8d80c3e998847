internal import Bulla

/// How a store of the harness is opened: the same for both sides of a pair, but for the key.
package struct StoreSetup: Codable, Sendable {
    package var path: String
    /// In hexadecimal digits; nil opens plain.
    ///
    /// It seals throwaway data, lives for one run, and goes to the workers through their pipes
    /// alone.
    package var key: String?
    package var pageByteCount: Int?
    package var suite: BenchSuite?
    package var cacheByteLimit: Int

    package init(
        path: String, key: String?, pageByteCount: Int?, suite: BenchSuite?, cacheByteLimit: Int
    ) {
        self.path = path
        self.key = key
        self.pageByteCount = pageByteCount
        self.suite = suite
        self.cacheByteLimit = cacheByteLimit
    }

    func open() throws -> Store {
        var options = StoreOptions()
        options.pageByteCount = pageByteCount
        options.suite = key == nil ? nil : suite?.ofStore
        options.cacheByteLimit = cacheByteLimit
        return try Store.open(at: path, key: storeKey(), options: options)
    }

    private func storeKey() throws -> StoreKey? {
        guard let key else { return nil }
        guard let bytes = Hex.bytes(from: key) else {
            throw BenchError(.worker, "open \(path): the key is not in hexadecimal digits")
        }
        return try StoreKey(bytes)
    }

    /// A key for one run.
    package static func randomKey() throws -> String {
        try StoreKey.random().withBytes { Hex.string([UInt8]($0)) }
    }
}
