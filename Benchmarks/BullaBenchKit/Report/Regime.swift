/// Under what circumstances a row was measured.
package struct Regime: Codable, Sendable, Equatable {
    package var temperature: Temperature
    /// What ends a commit; nil where nothing is committed.
    package var durability: String?
    /// Nil where that is not asked.
    package var readsPerSnapshot: Int?
    package var workers: Int
    package var threads: Int
    /// Operations by the second, of all threads together; nil in closed loop.
    package var rate: Double?
    package var cacheByteLimit: Int
    /// What else was set alike for all contenders: page size and cipher suite of a pair.
    package var setting: String?

    package init(
        temperature: Temperature, durability: String?, readsPerSnapshot: Int?, workers: Int,
        threads: Int, rate: Double?, cacheByteLimit: Int, setting: String?
    ) {
        self.temperature = temperature
        self.durability = durability
        self.readsPerSnapshot = readsPerSnapshot
        self.workers = workers
        self.threads = threads
        self.rate = rate
        self.cacheByteLimit = cacheByteLimit
        self.setting = setting
    }

    /// One line for people.
    package var text: String {
        var parts = [temperature.text]
        if let durability { parts.append(durability == "full" ? "durable" : durability) }
        if let readsPerSnapshot {
            parts.append(
                readsPerSnapshot == 1 ? "a snapshot each" : "\(readsPerSnapshot) a snapshot")
        }
        parts.append("workers x threads \(workers) x \(threads)")
        if let rate { parts.append("open loop at \(Format.count(rate))/s") }
        parts.append("cache " + Format.bytes(cacheByteLimit))
        if let setting { parts.append(setting) }
        return parts.joined(separator: ", ")
    }
}
