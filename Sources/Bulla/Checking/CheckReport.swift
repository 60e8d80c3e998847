/// What a check of a whole store found.
public struct CheckReport: Sendable, Codable {
    /// The commit that was checked.
    public internal(set) var commit: UInt64 = 0
    /// How many pages were read from the file and verified.
    public internal(set) var verifiedPageCount: Int = 0
    /// How many entries the named trees have; the log's changes count only if no defect was found.
    public internal(set) var entryCount: Int = 0
    /// How many named trees there are; the log's changes count only if no defect was found.
    public internal(set) var treeCount: Int = 0
    /// How many entries have values in pages of their own, as of the newest checkpoint.
    public internal(set) var largeValueCount: Int = 0
    /// The defects that were found; at most ``defectLimit`` are listed.
    public internal(set) var defects: [StoreDefect] = []

    /// The maximum number of defects that a report lists.
    public static let defectLimit = 10_000

    /// Whether no defect was found.
    public var isSound: Bool { defects.isEmpty }
}
