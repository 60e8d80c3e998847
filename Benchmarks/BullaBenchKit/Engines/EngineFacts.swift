/// What an engine turned out to be.
public struct EngineFacts: Codable, Sendable, Equatable {
    /// The engine and its version: `LMDB 0.9.24`.
    public var engine: String
    /// Whether all that is stored is encrypted.
    public var isEncrypted: Bool
    /// What was set, so that others can judge whether it is fair.
    public var configuration: String
    /// What the store's content takes, in bytes, when it was opened; nil where that is not known.
    public var liveByteCount: Int?
    /// Names of files in the store's folder that must not be copied with it: locks and the like.
    public var transientFiles: [String]

    /// What an adapter tells.
    public init(
        engine: String, isEncrypted: Bool, configuration: String, liveByteCount: Int? = nil,
        transientFiles: [String] = []
    ) {
        self.engine = engine
        self.isEncrypted = isEncrypted
        self.configuration = configuration
        self.liveByteCount = liveByteCount
        self.transientFiles = transientFiles
    }
}
