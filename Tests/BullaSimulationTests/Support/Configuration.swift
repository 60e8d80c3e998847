import Bulla

/// The properties of a simulated store.
struct Configuration: Sendable {
    let suite: CipherSuite?
    let pageByteCount: Int
    /// How many bytes may remain after the last page when the file is cut; by default, nothing is
    /// cut off.
    var tailByteLimit = UInt64.max
    /// How many bytes of unused pages the last close accepts; if there are more, it commits a
    /// shorter file.
    var freeTailByteLimit = UInt64.max
    /// How many pages a transaction may change before it seals some early.
    var dirtyPageLimit = 8

    /// How long a process waits for another.
    var lockTimeout = StoreOptions().lockTimeout

    /// Whether its log can grow to four times its initial length.
    var growsLog = true

    /// The initial length of each half of its log, at least eight pages: a transaction of a few
    /// kilobytes outgrows it if pages are small.
    var halfByteCount = 65536
    var halfPageCount: Int { max(8, halfByteCount / pageByteCount) }

    static let path = "/disk/store.bulla"
    private static let keyBytes = (0..<64).map { UInt8($0 * 3 + 11) }

    /// Usually the default; sometimes another suite, another page size, or no encryption.
    static func of(seed: UInt64) -> Configuration {
        switch seed % 8 {
        case 5: Configuration(suite: nil, pageByteCount: 4096)
        case 6: Configuration(suite: .aes256CTRHMACSHA256, pageByteCount: 4096)
        case 7: Configuration(suite: .aes256GCM, pageByteCount: seed % 16 == 7 ? 65536 : 8192)
        default: Configuration(suite: .aes256GCM, pageByteCount: 4096)
        }
    }

    static let usual = Configuration(suite: .aes256GCM, pageByteCount: 4096)

    /// The usual one, but with a log of fixed length, so that every failing write is reported: a
    /// log that fails to grow would just go on at its old length.
    static let ofFixedLog: Configuration = {
        var configuration = usual
        configuration.growsLog = false
        return configuration
    }()

    /// The usual one, but each close and each rollback cuts the file off right after its last page.
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

    /// Options with little memory, so that its limits are reached.
    var options: StoreOptions {
        var options = StoreOptions()
        options.suite = suite
        options.pageByteCount = pageByteCount
        options.cacheByteLimit = 64 * pageByteCount
        options.dirtyByteLimit = dirtyPageLimit * pageByteCount
        // The sooner pages are reused, the more often a crash hits a reused one.
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
