package import BullaRecords
internal import Synchronization

/// A backend in dictionaries: the reference for all others.
///
/// It scans everything, keeps everything in memory, and forgets no batch.
package final class MemoryBackend: RecordBackend {
    private let state = Mutex(State())
    private let life: RandomIdentifier

    package init() {
        guard let life = RandomIdentifier(bytes: (0..<16).map { _ in .random(in: 0...255) }) else {
            preconditionFailure("there are 16 bytes")
        }
        self.life = life
    }

    package func timeline(of database: Database) throws(RecordError) -> RandomIdentifier { life }

    struct State {
        var zones: [ZoneName: Zone] = [:]
        var documents: [DocumentName: StoredDocument] = [:]
        var assets: [RandomIdentifier: Asset] = [:]
        var changeCount: UInt64 = 0
    }

    struct ZoneName: Hashable {
        let database: Database
        let name: String
    }

    struct DocumentName: Hashable {
        let place: Place
        let name: String
    }

    struct Zone {
        var head: StoredZone
        var rows: [String: Row] = [:]
        var batches: [RandomIdentifier: UInt64] = [:]
        var forgottenVersion: UInt64 = 0
    }

    /// What is kept under a record's name.
    struct Row {
        let stored: StoredRecord
        /// `nil` if the record was deleted.
        var entry: RecordEntry?
    }

    struct Asset {
        var chunks: [UInt32: [UInt8]] = [:]
        var lastTime: Int64
        /// The only database whose records can hold it.
        let database: Database
    }

    /// Runs a verb on the whole state; if it throws, nothing changes.
    func change<R: Sendable>(
        _ body: (inout State) throws(RecordError) -> R
    ) throws(RecordError) -> R {
        let result = state.withLock { state -> Result<R, RecordError> in
            var changed = state
            do throws(RecordError) {
                let value = try body(&changed)
                changed.changeCount += 1
                state = changed
                return .success(value)
            } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// Does not wait: nobody follows the reference.
    package func waitForCommit(after commit: UInt64, timeout: Duration) -> UInt64? {
        look { $0.changeCount > commit ? $0.changeCount : nil }
    }

    /// Runs a verb that changes nothing.
    func look<R: Sendable>(_ body: (State) -> R) -> R { state.withLock { body($0) } }
}

extension MemoryBackend.State {
    subscript(zone: ZoneLife) -> MemoryBackend.Zone? {
        let name = MemoryBackend.ZoneName(database: zone.database, name: zone.name)
        guard let found = zones[name], found.head.incarnation == zone.incarnation else {
            return nil
        }
        return found
    }

    mutating func put(_ zone: MemoryBackend.Zone) {
        let head = zone.head
        zones[MemoryBackend.ZoneName(database: head.database, name: head.name)] = zone
    }

    /// The assets that records of any zone hold.
    var heldAssets: Set<RandomIdentifier> {
        var held: Set<RandomIdentifier> = []
        for zone in zones.values {
            for row in zone.rows.values { held.formUnion(row.entry?.assets ?? []) }
        }
        return held
    }

    /// Frees those of the given assets that no record holds any more.
    mutating func free(_ lost: Set<RandomIdentifier>) {
        for asset in lost.subtracting(heldAssets) { assets[asset] = nil }
    }
}

extension String {
    /// Whether it sorts before another string, by their bytes.
    package func precedes(_ other: String) -> Bool {
        utf8.lexicographicallyPrecedes(other.utf8)
    }
}
