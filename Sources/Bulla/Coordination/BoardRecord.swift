internal import BullaMemory

/// A record that the board, a part of the coordination file, keeps in a pair of cells.
protocol BoardRecord: Sendable {
    init(_ bytes: ByteView, at offset: Int)
    /// Writes the record, in at most ``BoardCell/contentByteCount`` bytes.
    func write(_ bytes: MutableByteView, at offset: Int)
    /// The number of this record among those of its pair; no number is used twice.
    var sequence: UInt64 { get }
    /// The key epoch whose master secret gives the board's key.
    var sealEpoch: UInt64 { get }
    /// Whether the record is free of contradictions; this matters in a plain store, where records
    /// are not authenticated.
    func isPlausible(_ format: PageFormat) -> Bool
}

extension CommitRecord: BoardRecord {
    /// Several records can name one commit, so they are numbered by their flushes.
    var sequence: UInt64 { flush }
    var sealEpoch: UInt64 { keyEpoch }
}
