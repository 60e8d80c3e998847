import Bulla
import BullaRecords
import BullaRecordsSupport
import BullaTestSupport
import Synchronization

/// A backend over embedded stores; each restart opens them again, and forgets the map.
final class PlacedRoom: BackendRoom {
    private let rooms: [EmbeddedRoom]
    private let now: Mutex<PlacedSites>

    init(siteCount: Int = 2) throws {
        rooms = try (0..<siteCount).map { try EmbeddedRoom($0 % 2 == 0 ? .gcm : .plain) }
        now = Mutex(try Self.sites(rooms))
    }

    func store(_ index: Int) -> Store { rooms[index].store }

    var sites: PlacedSites { now.withLock { $0 } }
    var backend: any RecordBackend { sites.placed }

    func restart() throws {
        for room in rooms { try room.restart() }
        let next = try Self.sites(rooms)
        now.withLock { $0 = next }
    }

    private static func sites(_ rooms: [EmbeddedRoom]) throws -> PlacedSites {
        try PlacedSites(rooms.map { EmbeddedBackend($0.store) })
    }
}

extension BackendMaker {
    static let placed = BackendMaker("over two stores") { try PlacedRoom() }
}
