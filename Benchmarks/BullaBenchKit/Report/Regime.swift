/// Under what circumstances a row was measured.
package struct Regime: Codable, Sendable, Equatable {
    /// `hot`: everything was read once before; `empty`: the store was new.
    package var temperature: String
    /// What ends a commit; nil where nothing is committed.
    package var durability: String?
    /// Nil where that is not asked.
    package var readsPerSnapshot: Int?
    package var workers: Int
    package var threads: Int
    package var pageByteCount: Int
    package var cacheByteLimit: Int
    package var suite: String

    package init(_ workload: Workload, _ options: OverheadOptions, _ encrypted: StoreFacts) {
        temperature = workload.startsEmpty ? "empty" : "hot"
        durability = workload.writes ? options.durability.rawValue : nil
        readsPerSnapshot =
            workload == .pointRead
            ? options.readsPerSnapshot
            : workload == .pointReadSnapshot ? 1 : nil
        workers = options.workers
        threads = options.threads
        pageByteCount = encrypted.pageByteCount
        cacheByteLimit = options.cacheByteLimit
        suite = encrypted.suite
    }

    /// One line for people.
    package var text: String {
        var parts = [temperature]
        if let durability { parts.append(durability == "full" ? "durable" : durability) }
        if let readsPerSnapshot {
            parts.append(
                readsPerSnapshot == 1 ? "a snapshot each" : "\(readsPerSnapshot) a snapshot")
        }
        parts.append("workers x threads \(workers) x \(threads)")
        parts.append("pages " + Format.bytes(pageByteCount))
        parts.append("cache " + Format.bytes(cacheByteLimit))
        parts.append(suite)
        return parts.joined(separator: ", ")
    }
}
