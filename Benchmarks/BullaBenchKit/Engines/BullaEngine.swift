internal import Bulla

/// A Bulla store, plain or encrypted.
package final class BullaEngine: Engine {
    /// The tree that all workloads use.
    static let tree: StaticString = "records"

    private let store: Store
    private let setup: EngineSetup

    /// Opens the store, or makes it where there is none yet.
    package init(_ setup: EngineSetup) throws {
        var options = StoreOptions()
        options.pageByteCount = setup.pageByteCount
        options.suite = setup.key == nil ? nil : setup.suite?.ofStore
        options.cacheByteLimit = setup.cacheByteLimit
        let key = try setup.keyBytes().map { try StoreKey($0) }
        store = try Store.open(at: setup.file("store.bulla"), key: key, options: options)
        self.setup = setup
    }

    package var facts: EngineFacts {
        get throws {
            let info = try store.info
            return EngineFacts(
                engine: "Bulla", isEncrypted: info.isEncrypted,
                configuration: "pages \(Format.bytes(info.pageByteCount)), \(info.suite)",
                liveByteCount: Int(info.livePageCount) * info.pageByteCount,
                transientFiles: ["store.bulla.bulla-world"])
        }
    }

    package var counters: EngineCounters {
        get throws {
            let statistics = try store.statistics
            return EngineCounters(
                commits: UInt64(statistics.commitCount), flushes: UInt64(statistics.flushCount),
                byteCountWritten: UInt64(statistics.writtenByteCount))
        }
    }

    package func session() throws -> any EngineSession {
        BullaSession(store, setup.durability.ofStore)
    }

    package func close() throws {
        try store.close()
    }
}
