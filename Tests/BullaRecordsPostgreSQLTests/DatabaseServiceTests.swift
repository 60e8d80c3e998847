#if PostgreSQL
import Bulla
import BullaRecords
import BullaRecordsPostgreSQL
import BullaRecordsServer
import BullaTestSupport
import Testing

/// A service with its records in a database and its accounts in a store.
@Suite("A service over PostgreSQL", .cluster)
struct DatabaseServiceTests {
    private static let zone = "notes"
    private let scratch: Scratch
    private let address: DatabaseAddress
    private let backend: PostgreSQLBackend
    private let stores: ServiceStores
    private let place = Place("iCloud.org.example.notes", .development)

    init() throws {
        scratch = try Scratch()
        address = try PostgreSQLCluster.present.newDatabase()
        backend = try PostgreSQLBackend(address, connectionLimit: 2)
        stores = try Self.open(scratch, backend, .ifMissing)
        try stores.addContainer(place.container)
    }

    private static func open(
        _ scratch: Scratch, _ backend: PostgreSQLBackend, _ creation: StoreOptions.Creation,
        accounts: UInt8 = 2
    ) throws -> ServiceStores {
        try ServiceStores(
            at: scratch.path(""), records: .database(backend), accountsKey: key(accounts),
            creation: creation, clock: { 1_795_435_200_000 })
    }

    private static func key(_ number: UInt8) throws -> StoreKey {
        try StoreKey((0..<64).map { $0 &* 3 &+ number })
    }

    /// A new account's private database, with a zone.
    private func view(_ name: String, in stores: ServiceStores? = nil) throws -> DatabaseView {
        let stores = stores ?? self.stores
        let core = try #require(try stores.core(of: place))
        let account =
            try stores.keyring.names.account(named: name, in: place)
            ?? stores.addAccount(named: name, in: place, unlockedBy: Self.key(5))
        let keys = try stores.keyring.unlock(account, in: place, with: Self.key(5))
        let view = try core.database(.private, .account(keys))
        try view.createZone(Self.zone)
        return view
    }

    private func save(_ name: String, _ value: Int64, in view: DatabaseView) throws {
        let field = RecordChange.FieldChange(.int64(value), isEncrypted: true)
        let save = RecordChange.Save("Note", .none, fields: ["s": field])
        let results = try view.modify([RecordChange(name, .save(save))], in: Self.zone)
        #expect(results.compactMap(\.error).isEmpty)
    }

    private func value(of name: String, in view: DatabaseView) throws -> RecordValue? {
        try view.records([name], in: Self.zone)[0].get().value(of: "s")
    }

    @Test("keeps records, shows them to another process, and verifies them")
    func keeps() throws {
        #expect(stores.records == nil)
        let view = try view("alice")
        for step in 0..<5 as Range<Int64> { try save("r\(step % 3)", step, in: view) }
        let other = try Self.open(scratch, backend, .never)
        let again = try self.view("alice", in: other)
        #expect(try value(of: "r1", in: again) == .int64(4))
        #expect(try again.verify(Self.zone).recordCount == 3)
        for head in try backend.zones(of: place) {
            let core = try #require(try other.core(of: place))
            #expect(try core.verify(head).fault(in: head.name) == nil)
        }
        try other.close()
        #expect(throws: BullaError.self) { try Self.open(scratch, backend, .never, accounts: 3) }
        try stores.close()
    }

    @Test("begins another timeline when it was restored, and followers start over")
    func restored() throws {
        let view = try view("alice")
        try save("a", 1, in: view)
        let token = try view.changes(in: Self.zone).token
        #expect(try view.changes(in: Self.zone, since: token).changed.isEmpty)
        try backend.forkTimeline()
        let error = #expect(throws: RecordError.self) {
            try view.changes(in: Self.zone, since: token)
        }
        #expect(error?.code == .changeTokenExpired)
        #expect(try view.changes(in: Self.zone).changed.map(\.name) == ["a"])
        try stores.close()
    }

    @Test("refuses accounts that do not belong to the records")
    func strangers() throws {
        let folder = try Scratch()
        let stores = try Self.open(folder, backend, .ifMissing)
        let error = #expect(throws: RecordError.self) {
            try stores.addContainer(place.container)
        }
        #expect(error?.code == .damaged)
        try stores.close()
        try self.stores.close()
    }

    @Test("tells of a record that the database has in an older version")
    func olderRecord() throws {
        let view = try view("alice")
        try save("a", 1, in: view)
        let head = try #require(try backend.zone(named: Self.zone, in: view.database))
        let life = ZoneLife(head)
        let older = try #require(try backend.records(["a"], in: life)[0]?.bytes)
        try save("a", 2, in: view)
        let digits = older.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        try PostgreSQLCluster.present.run(
            "UPDATE bulla_records SET content = decode('\(digits)', 'hex') WHERE name = 'a'",
            in: address.database)
        #expect(try value(of: "a", in: view) == .int64(1))
        let verification = try view.verify(Self.zone)
        #expect(!verification.isComplete && verification.failureCount == 0)
        try stores.close()
    }
}
#endif
