/// How a store of the harness is opened: the same for all contenders, but for the key.
public struct EngineSetup: Codable, Sendable {
    /// A folder of the store's own, which exists.
    public var folder: String
    /// In hexadecimal digits; nil opens plain.
    ///
    /// It seals throwaway data, lives for one run, and goes to the workers through their pipes
    /// alone.
    public var key: String?
    /// What an engine may keep of its store in memory, beside the system's page cache.
    public var cacheByteLimit: Int
    package var durability: BenchDurability
    /// What will be stored, about: for engines that must be told a size in advance.
    public var payloadByteCount: Int
    /// Threads of all processes that use the store at once.
    public var laneCount: Int
    /// Processes that use the store at once.
    public var workerCount: Int
    /// Bulla's own; nil: what it chooses by itself.
    package var pageByteCount: Int?
    package var suite: BenchSuite?
    /// How a store that checks the instrument behaves; nil for a real one.
    package var model: ModelBehaviour?

    package init(
        folder: String, key: String?, cacheByteLimit: Int, durability: BenchDurability,
        payloadByteCount: Int, laneCount: Int, workerCount: Int, pageByteCount: Int?,
        suite: BenchSuite?
    ) {
        self.folder = folder
        self.key = key
        self.cacheByteLimit = cacheByteLimit
        self.durability = durability
        self.payloadByteCount = payloadByteCount
        self.laneCount = laneCount
        self.workerCount = workerCount
        self.pageByteCount = pageByteCount
        self.suite = suite
    }

    /// Whether a commit waits for the disk; otherwise the disk has it within about a second.
    public var isDurable: Bool { durability == .full }

    /// Path of a file of the store.
    public func file(_ name: String) -> String { folder + "/" + name }

    /// The bytes of the key; nil for a plain store.
    public func keyBytes() throws -> [UInt8]? { try RunKey.bytes(key, of: folder) }
}
