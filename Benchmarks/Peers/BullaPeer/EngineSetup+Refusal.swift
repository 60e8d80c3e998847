public import BullaBenchKit

extension EngineSetup {
    /// Refuses a key, for an engine that does not encrypt.
    public func requirePlain(_ engine: String) throws {
        guard key == nil else {
            throw BenchError(.usage, "open \(folder): \(engine) does not encrypt")
        }
    }

    /// Refuses several workers, for an engine whose stores belong to one process.
    public func requireOneProcess(_ engine: String) throws {
        guard workerCount == 1 else {
            throw BenchError(
                .usage,
                "open \(folder): \(engine) opens a store in one process only, and "
                    + "\(workerCount) workers were asked for: measure it with one")
        }
    }
}
