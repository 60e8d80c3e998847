import Bulla

/// What a simulated store is made of.
struct Configuration: Sendable {
    let suite: CipherSuite?
    let pageByteCount: Int

    static let path = "/disk/store.bulla"
    private static let keyBytes = (0..<64).map { UInt8($0 * 3 + 11) }

    /// Mostly the default; now and then another suite, another page size, or no encryption.
    static func of(seed: UInt64) -> Configuration {
        switch seed % 8 {
        case 5: Configuration(suite: nil, pageByteCount: 4096)
        case 6: Configuration(suite: .aes256CTRHMACSHA256, pageByteCount: 4096)
        case 7: Configuration(suite: .aes256GCM, pageByteCount: seed % 16 == 7 ? 65536 : 8192)
        default: Configuration(suite: .aes256GCM, pageByteCount: 4096)
        }
    }

    static let usual = Configuration(suite: .aes256GCM, pageByteCount: 4096)

    func key() throws -> StoreKey? { suite == nil ? nil : try StoreKey(Self.keyBytes) }

    /// Small memories, so that their limits are met.
    var options: StoreOptions {
        var options = StoreOptions()
        options.suite = suite
        options.pageByteCount = pageByteCount
        options.cacheByteLimit = 64 * pageByteCount
        options.dirtyByteLimit = 8 * pageByteCount
        // The sooner pages are used again, the more often a crash meets one that is.
        options.reclaimInterval = 0
        return options
    }

    func open(_ storage: any StorageSystem) throws -> Store {
        try Store.open(at: Self.path, key: key(), options: options, storage: storage)
    }
}
