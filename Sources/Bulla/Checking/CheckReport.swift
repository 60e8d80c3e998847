/// What a check of a whole store found.
public struct CheckReport: Sendable, Codable {
    /// The commit that was checked.
    public internal(set) var commit: UInt64 = 0
    /// A newer commit that a crash kept from being wholly written, and that opening gives up.
    public internal(set) var unfinishedCommit: UInt64?
    /// Pages that were read from the file and verified.
    public internal(set) var pagesVerified: UInt64 = 0
    /// Entries of all named trees.
    public internal(set) var entries: UInt64 = 0
    /// Named trees.
    public internal(set) var trees: UInt64 = 0
    /// Entries whose value lies in pages of its own.
    public internal(set) var largeValues: UInt64 = 0
    /// What was found; at most ``damageLimit`` are listed.
    public internal(set) var damages: [StoreDamage] = []

    /// How many damages are listed at most.
    public static let damageLimit = 10_000

    /// Whether nothing was found.
    public var isSound: Bool { damages.isEmpty }
}
