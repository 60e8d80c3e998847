import BullaRecords
import Testing

@Suite("A container's schema")
struct ContainerSchemaTests {
    private let fixture: ContainerFixture
    private let container: CKContainer

    init() async throws {
        fixture = try await ContainerFixture()
        container = fixture.container
    }

    private static let text = """
        DEFINE SCHEMA
        RECORD TYPE Note (
            "___recordID" REFERENCE QUERYABLE,
            title STRING QUERYABLE,
            secret ENCRYPTED STRING
        );
        """

    @Test("What is imported is exported, and lets queries ask")
    func imports() async throws {
        try await container.importSchema(Self.text)
        let exported = try await container.exportSchema()
        #expect(exported.contains("secret") && exported.contains("ENCRYPTED STRING"))
        try await container.importSchema(exported)
        #expect(try await container.exportSchema() == exported)
        let database = try await fixture.database()
        try await database.save(.note("a", "t"))
        let all = CKQuery(recordType: "Note", predicate: CKPredicate(value: true))
        let found = try await database.records(matching: all).matchResults
        #expect(found.map(\.0.recordName) == ["a"])
    }

    @Test("An invalid text is refused with the place, and so is a loss without permission")
    func refusals() async throws {
        try await container.importSchema(Self.text)
        let error = try await failure {
            try await container.importSchema("DEFINE SCHEMA\nRECORD TIPE Note ();")
        }
        #expect(error?.code == .invalidArguments && error?.message.contains("line 2") == true)
        let less = Self.text.replacing("    title STRING QUERYABLE,\n", with: "")
        try await expect(.invalidArguments) { try await container.importSchema(less) }
        try await container.importSchema(less, mayRemove: true)
        #expect(try await !container.exportSchema().contains("title"))
        let other = less.replacing("ENCRYPTED STRING", with: "STRING")
        try await expect(.invalidArguments) {
            try await container.importSchema(other, mayRemove: true)
        }
    }

    @Test(
        "An encrypted field has no index, whichever a text asks for",
        arguments: ["QUERYABLE", "SORTABLE", "SEARCHABLE", "QUERYABLE SORTABLE"])
    func encryptedIndex(index: String) async throws {
        try await container.importSchema(Self.text)
        let former = try await container.exportSchema()
        for text in [
            Self.text.replacing("ENCRYPTED STRING", with: "ENCRYPTED STRING \(index)"),
            "DEFINE SCHEMA RECORD TYPE Other ( s ENCRYPTED STRING \(index) );",
        ] {
            let error = try await failure {
                try await container.importSchema(text, mayRemove: true)
            }
            #expect(error?.code == .invalidArguments)
            #expect(error?.message.contains("an encrypted field has no index") == true)
        }
        #expect(try await container.exportSchema() == former)
    }

    @Test("Production gets what development has, and nothing else")
    func promotion() async throws {
        try await container.importSchema(Self.text)
        try await expect(.invalidArguments) { try await container.promoteSchema() }
        let production = try await fixture.reopened(.production)
        try await expect(.invalidArguments) { try await production.importSchema(Self.text) }
        let user = try await production.createAccount(unlockedBy: ContainerFixture.key(1))
        try await production.signIn(user, with: ContainerFixture.key(1))
        let database = production.privateCloudDatabase
        try await database.save(CKRecordZone(zoneID: ContainerFixture.zoneID))
        try await expect(.invalidArguments) { try await database.save(.note("a", "t")) }
        let added = try await container.promoteSchema()
        #expect(added.contains { $0.contains("title") })
        #expect(try await production.exportSchema() == container.exportSchema())
        try await database.save(.note("a", "t"))
        let new = CKRecord.note("b")
        new["new"] = 1
        try await expect(.invalidArguments) { try await database.save(new) }
        #expect(try await production.promoteSchema() == [])
        try await production.close()
    }

    @Test("What is in production is not taken away, and not without a look at it")
    func removal() async throws {
        try await container.importSchema(Self.text)
        let production = try await fixture.reopened(.production)
        try await container.promoteSchema()
        let less = Self.text.replacing("    title STRING QUERYABLE,\n", with: "")
        let known = try await failure {
            try await container.importSchema(less, mayRemove: true)
        }
        #expect(known?.message.contains("is in production") == true)
        try await production.close()
        let unknown = try await failure {
            try await container.importSchema(less, mayRemove: true)
        }
        #expect(unknown?.code == .invalidArguments)
        #expect(unknown?.message.contains("has to be open") == true)
        try await container.importSchema(Self.text)
    }
}
