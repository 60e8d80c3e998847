/// What an engine counts of its own work, where it counts it.
public struct EngineCounters: Codable, Sendable, Equatable {
    /// Commits of all processes together.
    public var commits: UInt64?
    /// Flushes to the disk, likewise.
    public var flushes: UInt64?
    /// What this process wrote to the engine's files, in bytes.
    public var byteCountWritten: UInt64?

    /// Nil stands for what the engine does not count.
    public init(
        commits: UInt64? = nil, flushes: UInt64? = nil, byteCountWritten: UInt64? = nil
    ) {
        self.byteCountWritten = byteCountWritten
        self.commits = commits
        self.flushes = flushes
    }

    /// What was counted since `start`.
    package func since(_ start: Self) -> Self {
        let less = { (now: UInt64?, before: UInt64?) -> UInt64? in
            guard let now, let before else { return nil }
            return now >= before ? now - before : 0
        }
        return Self(
            commits: less(commits, start.commits), flushes: less(flushes, start.flushes),
            byteCountWritten: less(byteCountWritten, start.byteCountWritten))
    }
}
