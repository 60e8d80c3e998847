import Bulla

/// What a simulated store is made of.
struct Configuration: Sendable {
    let suite: CipherSuite?
    let pageByteCount: Int
    /// How many bytes may stay behind the last page: nothing is cut off where there is no limit.
    var tailByteLimit = UInt64.max
    /// From how many free bytes on a close commits to give them up.
    var freeTailByteLimit = UInt64.max
    /// How many pages a transaction may change before it seals some early.
    var dirtyPageLimit = 8

    /// How long anybody waits for somebody else.
    var lockTimeout = StoreOptions().lockTimeout

    /// Whether its log may become four times as long as it is at first.
    var growsLog = true

    /// How many bytes each half of its log has at first, of eight pages at least: a transaction of
    /// some kilobytes outgrows it, in small pages.
    var halfByteCount = 65536
    var halfPageCount: Int { max(8, halfByteCount / pageByteCount) }

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

    /// The usual one, of which no write may fail without being told: a log that could not grow goes
    /// on as it is.
    static let ofFixedLog: Configuration = {
        var configuration = usual
        configuration.growsLog = false
        return configuration
    }()

    /// The usual one, where each close and each transaction that is given up cuts the file's end
    /// off.
    static let cutting: Configuration = {
        var configuration = usual
        configuration.tailByteLimit = 0
        return configuration
    }()

    init(suite: CipherSuite?, pageByteCount: Int, dirtyPageLimit: Int = 8) {
        (self.suite, self.pageByteCount) = (suite, pageByteCount)
        self.dirtyPageLimit = dirtyPageLimit
    }

    func key() throws -> StoreKey? { suite == nil ? nil : try StoreKey(Self.keyBytes) }

    /// Small memories, so that their limits are met.
    var options: StoreOptions {
        var options = StoreOptions()
        options.suite = suite
        options.pageByteCount = pageByteCount
        options.cacheByteLimit = 64 * pageByteCount
        options.dirtyByteLimit = dirtyPageLimit * pageByteCount
        // The sooner pages are used again, the more often a crash meets one that is.
        options.reclaimInterval = 0
        options.tailByteLimit = tailByteLimit
        options.freeTailByteLimit = freeTailByteLimit
        options.checkpointsWhenIdle = false
        options.lockTimeout = lockTimeout
        options.logHalfByteCount = UInt64(halfPageCount * pageByteCount)
        options.logHalfByteLimit = options.logHalfByteCount * (growsLog ? 4 : 1)
        return options
    }

    func open(_ storage: any StorageSystem) throws -> Store {
        try Store.open(at: Self.path, key: key(), options: options, storage: storage)
    }
}
