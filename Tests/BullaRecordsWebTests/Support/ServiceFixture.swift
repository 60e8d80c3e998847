import Bulla
import BullaMemory
import BullaRecords
import BullaRecordsWeb
import BullaTestSupport
import Synchronization
import Testing

/// A service over its own store, with a program and users that call it.
final class ServiceFixture: Sendable {
    static let container = "iCloud.org.example.notes"
    static let apiToken = "program"
    /// 2026-11-23T12:00:00Z.
    static let now: Int64 = 1_795_435_200_000

    let service: WebService
    let core: RecordCore
    let store: Store
    /// The service's time.
    let time = TestTime(ServiceFixture.now)
    private let scratch: Scratch

    init(
        _ environment: Environment = .development, limits: WebLimits = WebLimits(),
        records: RecordLimits = RecordLimits(), sharing other: ServiceFixture? = nil,
        roles: @escaping RecordCore.RoleFinder = { _ in [] }
    ) throws {
        scratch = try other?.scratch ?? Scratch()
        let place = Place(Self.container, environment)
        store = try Store.open(
            at: scratch.path("\(environment.name).bulla"), key: StoreKind.gcm.key())
        let secret = try SecretBytes(copying: [UInt8](repeating: 3, count: 32))
        let core = try RecordCore(
            EmbeddedBackend(store), ContainerKeys(place, secret), limits: records,
            roles: roles, clock: { [time] in time.now })
        self.core = core
        let keys = [
            "owned": ServerKey(publicKey: ServerSignatures.publicKey, owner: WebSupport.account),
            "free": ServerKey(publicKey: ServerSignatures.publicKey),
        ]
        let doors = ServiceDoors(
            core: { $0 == place ? core : nil }, sessions: try TestSessions(place),
            serverKey: { name, asked in asked == place ? keys[name] : nil })
        let address = try #require(ServiceAddress("https:" + "//records.example.org/"))
        service = WebService(doors, at: address, limits: limits, clock: { [time] in time.now })
    }

    /// Makes a call as a program, for a user or for nobody.
    func ask(
        _ operation: String, _ body: String = "", in scope: DatabaseScope = .private,
        user: String? = "first", method: String = "POST"
    ) throws -> ServiceReply {
        var target = "\(path(operation, in: scope))?ckAPIToken=\(Self.apiToken)"
        if let user { target += "&ckWebAuthToken=" + user }
        return try send(WebRequest(method, target, body: Array(body.utf8)))
    }

    func path(_ operation: String, in scope: DatabaseScope) -> String {
        "/database/1/\(Self.container)/\(core.place.environment.name)/\(scope.name)/\(operation)"
    }

    func send(_ request: WebRequest) throws -> ServiceReply {
        try ServiceReply(service.answer(request))
    }

    /// A user's private database, as a program with the library sees it.
    func database(of user: String) throws -> DatabaseView {
        let sessions = try TestSessions(core.place)
        let user = try #require(sessions.user(webAuthToken: user, in: core.place))
        return try core.database(.private, .account(user.keys))
    }

    /// The first user's zone `myZone`, as the second user names it.
    static let zoneOfFirst =
        "{\"zoneName\":\"myZone\",\"ownerRecordName\":\"\(WebSupport.account.userRecordName)\"}"

    /// A service whose first user has the zone `myZone` and can share it with the second.
    static func withSecondUser() throws -> ServiceFixture {
        let fixture = try ServiceFixture()
        try fixture.makeZone()
        // A user who is to be named must have called the service before.
        _ = try fixture.ask("zones/list", user: "second")
        return fixture
    }

    /// Makes a zone of the first user.
    func makeZone(_ name: String = "myZone") throws {
        let reply = try ask(
            "zones/modify",
            """
            {"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"\(name)"}}}]}
            """)
        try #require(reply.codes == [nil])
    }

    /// Defines the type of notes so that it allows queries to list notes; by default, a type does
    /// not.
    func defineNotes() throws {
        let schema = """
            DEFINE SCHEMA ( RECORD TYPE Note (
            "___recordID" REFERENCE QUERYABLE, n INT64 QUERYABLE SORTABLE, t ENCRYPTED STRING,
            GRANT WRITE TO "_creator", GRANT CREATE TO "_icloud", GRANT READ TO "_world" ); );
            """
        try core.importSchema(Array(schema.utf8))
    }

    /// Requests operations on records, each given as text.
    func modify(
        _ operations: String..., zone: String = "myZone", more: String = "",
        in scope: DatabaseScope = .private, user: String? = "first"
    ) throws -> ServiceReply {
        try ask(
            "records/modify",
            """
            {"operations":[\(operations.joined(separator: ","))],
            "zoneID":{"zoneName":"\(zone)"}\(more)}
            """, in: scope, user: user)
    }

    /// Looks up one record.
    func lookUp(_ name: String, zone: String = "myZone", user: String = "first") throws
        -> ServiceReply
    {
        try ask(
            "records/lookup",
            "{\"records\":[{\"recordName\":\"\(name)\"}],\"zoneID\":{\"zoneName\":\"\(zone)\"}}",
            user: user)
    }
}

/// An operation of `records/modify`, as text.
func operation(
    _ kind: String, _ name: String?, type: String? = "Note", tag: String? = nil,
    fields: String? = nil, more: String = ""
) -> String {
    var record: [String] = []
    if let name { record.append("\"recordName\":\"\(name)\"") }
    if let type { record.append("\"recordType\":\"\(type)\"") }
    if let tag { record.append("\"recordChangeTag\":\"\(tag)\"") }
    if let fields { record.append("\"fields\":{\(fields)}") }
    let text = record.joined(separator: ",")
    return "{\"operationType\":\"\(kind)\",\"record\":{\(text)\(more)}}"
}

/// Three users; one of them is the first user again, after its keys were replaced.
private struct TestSessions: SessionKeeper {
    private let users: [String: SignedInUser]

    init(_ place: Place) throws {
        func user(_ digit: UInt8, epoch: UInt32, fresh: String) throws -> SignedInUser {
            let bytes = [UInt8](repeating: digit &+ UInt8(epoch), count: 32)
            let keys = try AccountKeys(
                AccountIdentifier(WebSupport.identifier(digit)), in: place, epoch: epoch,
                serviceKey: SecretBytes(copying: bytes))
            return SignedInUser(keys, freshToken: fresh)
        }
        users = [
            "first": try user(1, epoch: 1, fresh: "fresh"),
            "second": try user(2, epoch: 1, fresh: "other"),
            "reset": try user(1, epoch: 2, fresh: "later"),
        ]
    }

    func knows(apiToken: String, in place: Place) -> Bool {
        apiToken == ServiceFixture.apiToken
    }

    func user(webAuthToken token: String, in place: Place) -> SignedInUser? { users[token] }
}

extension SecretBytes {
    fileprivate init(copying bytes: [UInt8]) throws(MemoryError) {
        try self.init(byteCount: bytes.count)
        bytes.withView { source in withMutableView { $0.copy(source, to: 0) } }
    }
}

/// A clock that tests set.
final class TestTime: Sendable {
    private let time: Mutex<Int64>

    init(_ time: Int64) { self.time = Mutex(time) }

    /// Milliseconds since 1970.
    var now: Int64 { time.withLock { $0 } }

    func pass(_ milliseconds: Int64) { time.withLock { $0 += milliseconds } }
}
