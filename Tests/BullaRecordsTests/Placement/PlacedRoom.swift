import Bulla
import BullaRecords
import BullaRecordsSupport
import BullaTestSupport
import Synchronization

/// A backend over embedded stores; each restart opens them again, under a new gateway.
final class PlacedRoom: BackendRoom {
    let rooms: [EmbeddedRoom]
    /// What a test does to the calls of each site.
    let hooks: [HookedSite.Hooks]
    private let now: Mutex<PlacedSites>
    private let seed = Atomic<UInt64>(100)

    init(siteCount: Int = 2) throws {
        rooms = try (0..<siteCount).map { try EmbeddedRoom($0 % 2 == 0 ? .gcm : .plain) }
        hooks = rooms.map { _ in HookedSite.Hooks() }
        now = Mutex(try Self.sites(rooms, hooks))
    }

    func store(_ index: Int) -> Store { rooms[index].store }

    /// A bench over the present gateway, with identifiers that no other bench has.
    func bench() -> BackendBench {
        BackendBench(sites.placed, seed: seed.add(1, ordering: .relaxed).newValue)
    }

    var sites: PlacedSites { now.withLock { $0 } }
    var backend: any RecordBackend { sites.placed }

    func restart() throws {
        for room in rooms { try room.restart() }
        try reconnect()
    }

    /// Another gateway takes the place of the present one, as after a restart of the service.
    func reconnect() throws {
        let next = try gateway()
        now.withLock { $0 = next }
    }

    /// A gateway that knows nothing yet.
    func gateway(
        patience: Duration = .zero, callerLimit: Int = .max
    ) throws -> PlacedSites {
        try Self.sites(rooms, hooks, patience, callerLimit)
    }

    /// Stops everything, restores a site from a backup, and starts again.
    func restore(_ index: Int, _ name: String = "backup") throws {
        try rooms[index].restore(name)
        try reconnect()
    }

    /// A room over three stores, whose container was opened before: its key mark shows that.
    static func openedBefore() throws -> PlacedRoom {
        let room = try PlacedRoom(siteCount: 3)
        let place = BackendBench.place
        guard try room.sites.placed.replace("key mark", of: place, version: 0, with: [1]) else {
            throw RecordError(.internalError, "there is a key mark already")
        }
        return room
    }

    /// A new account at a site, and its zone, which has a record "old".
    func account(at site: String) throws -> (database: Database, zone: ZoneLife) {
        var bench = bench()
        let database = bench.database()
        let zone = try bench.zone("zone", in: database)
        try bench.save("old", in: zone)
        guard try sites.move(database, to: site) else {
            throw RecordError(.internalError, "it was not moved")
        }
        return (database, zone)
    }

    func save(_ name: String, in zone: ZoneLife) throws {
        var bench = bench()
        guard case .committed = try bench.save(name, in: zone) else {
            throw RecordError(.internalError, "it was not saved")
        }
    }

    /// The names of the records in a zone, in the order of their last changes.
    func names(in zone: ZoneLife) throws -> [String] {
        try sites.placed.changes(in: zone, after: 0, limit: 999)?.changes
            .filter { $0.record.bytes != nil }.map(\.name) ?? []
    }

    private static func sites(
        _ rooms: [EmbeddedRoom], _ hooks: [HookedSite.Hooks], _ patience: Duration = .zero,
        _ callerLimit: Int = .max
    ) throws -> PlacedSites {
        try PlacedSites(
            zip(rooms, hooks).map { HookedSite(EmbeddedBackend($0.store), $1) },
            patience: patience, callerLimit: callerLimit)
    }
}

extension BackendMaker {
    static let placed = BackendMaker("over two stores") { try PlacedRoom() }
}
