/// What a check of a whole store found.
public struct CheckReport: Sendable, Codable {
    /// The commit that was checked.
    public internal(set) var commit: UInt64 = 0
    /// Pages that were read from the file and verified.
    public internal(set) var verifiedPageCount: Int = 0
    /// Entries of all named trees, with what the log says over their pages; where a defect was
    /// found, those of the pages alone.
    public internal(set) var entryCount: Int = 0
    /// Named trees, likewise.
    public internal(set) var treeCount: Int = 0
    /// Entries whose value lies in pages of its own, as of the newest checkpoint.
    public internal(set) var largeValueCount: Int = 0
    /// What was found; at most ``defectLimit`` are listed.
    public internal(set) var defects: [StoreDefect] = []

    /// How many defects are listed at most.
    public static let defectLimit = 10_000

    /// Whether nothing was found.
    public var isSound: Bool { defects.isEmpty }
}
