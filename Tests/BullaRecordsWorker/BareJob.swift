package import Bulla
import BullaRecords
import BullaTestSupport

/// A backend with the store's key, but without any key for the records; it reads everything, keeps
/// it in memory, and runs until its input ends.
struct BareJob {
    private let store: Store
    private let backend: EmbeddedBackend

    init(_ command: TrialCommand) throws {
        let path = TrialSite.recordsPath(try command.text("folder"))
        store = try Store.open(at: path, key: TrialSite.key(0))
        backend = EmbeddedBackend(store)
    }

    func run() throws {
        let rows = try TrialRows(store)
        let records = try readAll()
        Line.say("rows", rows.all.count)
        Line.say("records", records.count)
        Line.say("ready")
        Line.awaitEnd()
        // Keep both in memory up to this point.
        Line.say("bytes", withExtendedLifetime((rows, records)) { rows.byteCount })
    }

    /// All records, as returned by the backend.
    private func readAll() throws -> [[UInt8]] {
        var records: [[UInt8]] = []
        for zone in try backend.zones(of: TrialSite.place) {
            let life = ZoneLife(zone)
            let page = try backend.changes(in: life, after: 0, limit: .max - 1)
            records += page?.changes.compactMap(\.record.bytes) ?? []
            let names = page?.changes.map(\.name) ?? []
            records += try backend.records(names, in: life).compactMap { $0?.bytes }
        }
        return records
    }
}

/// All rows of a store, as read with its key.
package struct TrialRows {
    package private(set) var all: [[UInt8]] = []

    package init(_ store: Store) throws {
        all = try store.read(visibility: .published) { snapshot in
            var all: [[UInt8]] = []
            for name in try snapshot.treeNames() {
                try snapshot.scan(try snapshot.tree(named: name)) { key, value in
                    all += [[UInt8](copying: key), [UInt8](copying: value)]
                    return .next
                }
            }
            return all
        }
    }

    package var byteCount: Int { all.reduce(0) { $0 + $1.count } }
}
