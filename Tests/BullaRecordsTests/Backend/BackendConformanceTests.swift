import BullaRecords
import BullaRecordsSupport
import Testing

@Suite("A backend of records")
struct BackendConformanceTests {
    @Test("does what every one must", arguments: BackendMaker.all, ConformanceCheck.all)
    func conforms(maker: BackendMaker, check: ConformanceCheck) throws {
        let room = try maker.make()
        var bench = BackendBench(room.backend)
        try check.run(&bench)
    }
}
