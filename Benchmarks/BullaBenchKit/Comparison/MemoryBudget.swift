/// How much memory the workers of a store have where the regime is memory-bound: the same for all
/// contenders.
struct MemoryBudget {
    /// What a worker needs for itself, however small its store is.
    private static let workerByteCount = 64 << 20

    /// Of all workers of a store together, page cache included.
    let byteLimit: Int
    /// What of it each engine may use for a cache of its own.
    let cacheByteLimit: Int

    /// Half of the data, and what the workers need for themselves.
    init(_ options: ComparisonOptions, _ source: Source) {
        byteLimit =
            options.memoryByteLimit
            ?? source.payloadByteCount / 2 + options.workers * Self.workerByteCount
        cacheByteLimit = min(options.cacheByteLimit, byteLimit / 4 / options.workers)
    }

    /// Why the budget would hold all of the data; nil where it does not.
    static func reasonTooLarge(_ options: ComparisonOptions, _ source: Source) -> String? {
        guard MemoryBudget(options, source).byteLimit >= source.payloadByteCount else { return nil }
        return "the \(Format.bytes(source.payloadByteCount)) of \(source.name) fit into the memory "
            + "that workers need anyway"
    }
}
