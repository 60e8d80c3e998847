internal import BullaMemory

/// What stands on the board in a pair of cells.
protocol BoardRecord: Sendable {
    init(_ bytes: ByteView, at offset: Int)
    /// Writes it, in at most ``BoardCell/contentByteCount`` bytes.
    func write(_ bytes: MutableByteView, at offset: Int)
    /// What counts the records of the pair; never the same twice.
    var sequence: UInt64 { get }
    /// The key epoch from whose master secret the board's key comes.
    var sealEpoch: UInt64 { get }
    /// Whether it can be true: a plain store's record is not authenticated.
    func isPlausible(_ format: PageFormat) -> Bool
}

extension CommitRecord: BoardRecord {
    /// One commit may be named several times.
    var sequence: UInt64 { flush }
    var sealEpoch: UInt64 { keyEpoch }
}
