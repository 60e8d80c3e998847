#if PostgreSQL
import BullaRecords
import BullaRecordsSupport
import BullaTestSupport
import Synchronization
import Testing

@Suite("Records in PostgreSQL", .cluster)
struct PostgreSQLConformanceTests {
    @Test("do what every backend must", arguments: ConformanceCheck.all)
    func conforms(check: ConformanceCheck) throws {
        var bench = BackendBench(try PostgreSQLRoom().backend)
        try check.run(&bench)
    }
}
#endif
