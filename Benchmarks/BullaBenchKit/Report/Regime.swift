/// Under what circumstances a row was measured.
package struct Regime: Codable, Sendable, Equatable {
    /// What of the store is at hand when it is measured.
    package enum Temperature: String, Codable, Sendable {
        /// Everything was read once before, and the cache holds it.
        case hot
        /// Everything was read once before, but the cache is smaller.
        case overCache = "larger than the cache"
        /// The store was new.
        case empty
    }

    package var temperature: Temperature
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
        temperature =
            workload.startsEmpty
            ? .empty
            : encrypted.liveByteCount > options.cacheByteLimit ? .overCache : .hot
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
        var parts = [temperature.rawValue]
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
