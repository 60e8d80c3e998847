#if PostgreSQL
import BullaRecords
import BullaRecordsPostgreSQL
import BullaRecordsSupport
import Synchronization
import Testing

/// Starts three servers, runs a suite that uses them, and stops them.
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

/// A backend over one new database in each cluster; a restart connects anew, and forgets all homes.
final class ClustersRoom: BackendRoom {
    let addresses: [DatabaseAddress]
    private let now: Mutex<PlacedSites>

    init() throws {
        addresses = try ThreeClusters.present.map { try $0.newDatabase() }
        now = Mutex(try Self.sites(addresses))
    }

    var sites: PlacedSites { now.withLock { $0 } }
    var backend: any RecordBackend { sites.placed }

    /// A gateway with connections of its own.
    func gateway(
        patience: Duration = .zero, sitePatience: Duration = .seconds(60)
    ) throws -> PlacedSites {
        try Self.sites(addresses, patience: patience, sitePatience)
    }

    /// Copies the tables of a site.
    func backUp(_ index: Int) throws {
        try run("CREATE SCHEMA backup", index)
        try forEachTable("CREATE TABLE backup.%1$I AS TABLE public.%1$I", index)
    }

    /// Replaces the contents of a site's tables with the copies.
    func restore(_ index: Int, isForked: Bool) throws {
        try forEachTable("DELETE FROM public.%I", index)
        try forEachTable("INSERT INTO public.%1$I SELECT * FROM backup.%1$I", index)
        if isForked {
            try PostgreSQLBackend(addresses[index], connectionLimit: 2).forkTimeline()
        }
    }

    private func forEachTable(_ statement: String, _ index: Int) throws {
        try run(
            """
            DO $$ DECLARE name TEXT; BEGIN
                FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
                    EXECUTE FORMAT('\(statement)', name);
                END LOOP;
            END $$
            """, index)
    }

    private func run(_ statement: String, _ index: Int) throws {
        try ThreeClusters.present[index].run(statement, in: addresses[index].database)
    }

    func restart() throws {
        let next = try Self.sites(addresses)
        now.withLock { $0 = next }
    }

    private static func sites(
        _ addresses: [DatabaseAddress], patience: Duration = .zero,
        _ sitePatience: Duration = .seconds(60)
    ) throws -> PlacedSites {
        try PlacedSites(
            addresses.map {
                try PostgreSQLBackend(
                    $0, connectionLimit: 2, patience: sitePatience, mayBeAway: true)
            }, patience: patience)
    }
}
#endif
