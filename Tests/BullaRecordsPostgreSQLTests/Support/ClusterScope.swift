#if PostgreSQL
import BullaRecords
import BullaRecordsPostgreSQL
import BullaRecordsSupport
import Synchronization
import Testing

/// Starts a server, runs a suite that uses it, and stops it.
struct ClusterScope: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
    ) async throws {
        let cluster = try PostgreSQLCluster()
        try await PostgreSQLCluster.$current.withValue(cluster) { try await body() }
        try cluster.kill(2)
    }
}

extension Trait where Self == ClusterScope {
    static var cluster: ClusterScope { ClusterScope() }
}

extension PostgreSQLCluster {
    @TaskLocal static var current: PostgreSQLCluster?

    static var present: PostgreSQLCluster {
        get throws {
            guard let current else { throw ClusterFault(message: "the suite has no cluster") }
            return current
        }
    }
}

/// A database of its own in the suite's cluster; a restart connects anew.
final class PostgreSQLRoom: BackendRoom {
    private let address: DatabaseAddress
    private let running: Mutex<PostgreSQLBackend>

    init() throws {
        address = try PostgreSQLCluster.present.newDatabase()
        running = Mutex(try PostgreSQLBackend(address, connectionLimit: 2))
    }

    var backend: any RecordBackend { running.withLock { $0 } }

    func restart() throws {
        let next = try PostgreSQLBackend(address, connectionLimit: 2)
        running.withLock { $0 = next }
    }
}

extension BackendMaker {
    static let postgreSQL = BackendMaker("in PostgreSQL") { try PostgreSQLRoom() }
}
#endif
