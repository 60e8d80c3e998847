import BullaRecords
import Testing

@Suite("Following a database")
struct DatabaseChangesTests {
    private let fixture: ContainerFixture
    private let database: CKDatabase

    init() async throws {
        fixture = try await ContainerFixture()
        database = try await fixture.database()
    }

    private static let other = CKRecordZone.ID(zoneName: "Other")

    @Test("Zones come when they are made, changed and deleted")
    func life() async throws {
        let first = try await database.databaseChanges(since: nil)
        #expect(first.modifications.map(\.zoneID) == [ContainerFixture.zoneID])
        #expect(first.deletions.isEmpty && !first.moreComing)
        let still = try await database.databaseChanges(since: first.changeToken)
        #expect(still.modifications.isEmpty && still.deletions.isEmpty)
        try await database.save(CKRecordZone(zoneID: Self.other))
        try await database.save(.note("a"))
        let both = try await database.databaseChanges(since: still.changeToken, resultsLimit: 1)
        #expect(both.modifications.count == 1 && both.moreComing)
        let rest = try await database.databaseChanges(since: both.changeToken)
        let zones = (both.modifications + rest.modifications).map(\.zoneID)
        #expect(Set(zones) == [ContainerFixture.zoneID, Self.other] && zones.count == 2)
        try await database.deleteRecordZone(withID: Self.other)
        let last = try await database.databaseChanges(since: rest.changeToken)
        #expect(last.modifications.isEmpty && last.deletions.map(\.zoneID) == [Self.other])
        #expect(last.deletions.map(\.reason) == [.deleted])
    }

    @Test("Zones whose keys were reset say so until they are deleted")
    func reset() async throws {
        let token = try await database.databaseChanges(since: nil).changeToken
        let (container, user) = (fixture.container, fixture.user)
        try await container.resetEncryptedData(of: user, to: ContainerFixture.key(3))
        try await container.signIn(user, with: ContainerFixture.key(3))
        for _ in 0..<2 {
            let changes = try await database.databaseChanges(since: token)
            #expect(changes.deletions.map(\.reason) == [.encryptedDataReset])
            #expect(changes.deletions.map(\.zoneID) == [ContainerFixture.zoneID])
        }
        try await database.deleteRecordZone(withID: ContainerFixture.zoneID)
        let changes = try await database.databaseChanges(since: token)
        #expect(changes.deletions.map(\.reason) == [.deleted])
    }

    @Test("A token is of one database, and a page has one zone at least")
    func refusals() async throws {
        let token = try await database.databaseChanges(since: nil).changeToken
        try await expect(.invalidArguments) {
            try await database.databaseChanges(since: token, resultsLimit: 0)
        }
        let user = try await fixture.container.createAccount(unlockedBy: ContainerFixture.key(2))
        try await fixture.container.signIn(user, with: ContainerFixture.key(2))
        try await expect(.invalidArguments) { try await database.databaseChanges(since: token) }
    }
}
