#if PostgreSQL
import BullaRecords
import BullaRecordsPostgreSQL
import BullaRecordsSupport
import Synchronization
import Testing

/// Runs a suite beside three servers that it starts before and stops after.
struct ThreeClusters: SuiteTrait, TestScoping {
    @TaskLocal static var present: [PostgreSQLCluster] = []

    func provideScope(
        for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
    ) async throws {
        let clusters = try (0..<3).map { _ in try PostgreSQLCluster() }
        try await Self.$present.withValue(clusters) { try await body() }
        for cluster in clusters { try cluster.kill(2) }
    }
}

extension Trait where Self == ThreeClusters {
    static var threeClusters: ThreeClusters { ThreeClusters() }
}

/// A backend over a new database of each cluster; a restart connects anew, and forgets the map.
final class ClustersRoom: BackendRoom {
    private let addresses: [DatabaseAddress]
    private let now: Mutex<PlacedSites>

    init() throws {
        addresses = try ThreeClusters.present.map { try $0.newDatabase() }
        now = Mutex(try Self.sites(addresses))
    }

    var sites: PlacedSites { now.withLock { $0 } }
    var backend: any RecordBackend { sites.placed }

    /// A gateway with connections of its own.
    func gateway(patience: Duration = .zero) throws -> PlacedSites {
        try Self.sites(addresses, patience: patience)
    }

    func restart() throws {
        let next = try Self.sites(addresses)
        now.withLock { $0 = next }
    }

    private static func sites(
        _ addresses: [DatabaseAddress], patience: Duration = .zero
    ) throws -> PlacedSites {
        try PlacedSites(
            addresses.map {
                try PostgreSQLBackend($0, connectionLimit: 2, patience: .seconds(60))
            }, patience: patience)
    }
}
#endif
