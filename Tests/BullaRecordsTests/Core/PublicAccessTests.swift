import Bulla
import BullaRecords
import BullaTestSupport
import Synchronization
import Testing

/// The public database under grants other than those that a type gets by default.
@Suite("What the schema grants in the public database")
struct PublicAccessTests {
    private let fixture: CoreFixture
    private let given = Given()

    /// The roles that a test gives to accounts, in addition to those of the system.
    private final class Given: Sendable {
        private let roles = Mutex<[AccountIdentifier: Set<String>]>([:])
        private let asked = Mutex(0)

        func roles(of account: AccountIdentifier) -> Set<String> {
            asked.withLock { $0 += 1 }
            return roles.withLock { $0[account] ?? [] }
        }

        func set(_ names: Set<String>, of account: AccountIdentifier) {
            roles.withLock { $0[account] = names }
        }

        var askedCount: Int { asked.withLock { $0 } }
    }

    private enum Caller: CaseIterable {
        case nobody, stranger, creator
    }

    init() throws {
        let given = given
        fixture = try CoreFixture(roles: { given.roles(of: $0) })
    }

    private func view(_ caller: Caller) throws -> DatabaseView {
        let session: Session =
            switch caller {
            case .nobody: .nobody
            case .stranger: .account(try fixture.account(2))
            case .creator: .account(try fixture.account(1))
            }
        return try fixture.core.database(.public, session)
    }

    /// Defines the type again, with only these grants.
    private func define(_ grants: String, roles: String = "") throws {
        let text = """
            DEFINE SCHEMA \(roles) RECORD TYPE Note (
                "___recordID" REFERENCE QUERYABLE, n INT64, \(grants)
            );
            """
        try fixture.core.importSchema(Array(text.utf8), mayRemove: true)
    }

    private static let all = "GRANT READ, CREATE, WRITE TO \"_icloud\""

    /// The caller's privileges: to read and write a record of the creator, and to create a new one.
    private func privileges(
        of caller: Caller, _ record: String = "a", new: String
    ) throws -> Privileges {
        let (view, zone) = (try view(caller), ZoneIdentifier.defaultName)
        var all: Privileges = []
        if case .success = try view.records([record], in: zone)[0] { all.insert(.read) }
        let found = try view.query(RecordQuery("Note"), in: zone).records
        let isFound = found.contains { $0.identifier.name == record }
        #expect(isFound == all.contains(.read), "\(caller)")
        if caller == .nobody {
            #expect(throws: RecordError.self) { try view.save(record, in: zone) }
            return all
        }
        let change = try view.save(record, ["n": .plain(.int64(2))], in: zone).code
        let creation = try view.save(new, ["n": .plain(.int64(1))], in: zone).code
        #expect([nil, .permissionFailure].contains(change))
        #expect([nil, .permissionFailure].contains(creation))
        if change == nil { all.insert(.write) }
        if creation == nil { all.insert(.create) }
        return all
    }

    @Test(
        "A role may do what it is granted, and nothing besides", arguments: SystemRole.allCases,
        Privileges.names.map(\.privilege))
    func single(role: SystemRole, privilege: Privileges) throws {
        try define(Self.all)
        let zone = ZoneIdentifier.defaultName
        #expect(try view(.creator).save("a", ["n": .plain(.int64(1))], in: zone).code == nil)
        try define("GRANT \(privilege) TO \"\(role.name)\"")
        for caller in Caller.allCases {
            let hasRole =
                switch role {
                case .world: true
                case .icloud: caller != .nobody
                // A record has no creator before it is made.
                case .creator: caller == .creator && privilege != .create
                }
            let mayAsk = caller != .nobody || privilege == .read
            #expect(
                try privileges(of: caller, new: "\(caller)")
                    == (hasRole && mayAsk ? privilege : []), "\(role), \(privilege), \(caller)")
        }
        let deletion = try view(.stranger).delete("a", in: zone).code
        let mayDelete = privilege == .write && role != .creator
        #expect(deletion == (mayDelete ? nil : .permissionFailure))
    }

    @Test("What a type is not granted to the world is in nobody's answers")
    func hidden() throws {
        try define("GRANT CREATE, WRITE TO \"_icloud\", GRANT READ TO \"_creator\"")
        let zone = ZoneIdentifier.defaultName
        #expect(try view(.creator).save("a", in: zone).code == nil)
        #expect(try view(.stranger).save("b", in: zone).code == nil)
        for (caller, names) in [(Caller.nobody, []), (.stranger, ["b"]), (.creator, ["a"])] {
            let found = try view(caller).query(RecordQuery("Note"), in: zone)
            #expect(found.records.map(\.identifier.name) == names && found.failures.isEmpty)
        }
        let results = try view(.stranger).records(["a", "b"], in: zone)
        let refused = refusal { () throws(RecordError) in try results[0].get() }
        #expect(refused?.code == .permissionFailure)
    }

    @Test("A role of the schema applies to its accounts from the next request on")
    func createdRoles() throws {
        let grants = "GRANT READ TO \"_world\", GRANT CREATE, WRITE TO editor"
        try define(Self.all)
        let zone = ZoneIdentifier.defaultName
        #expect(try view(.creator).save("a", in: zone).code == nil)
        try define(grants, roles: "CREATE ROLE editor; CREATE ROLE other;")
        #expect(try privileges(of: .stranger, new: "b") == .read)
        let stranger = try CoreFixture.identifier(2)
        given.set(["other"], of: stranger)
        #expect(try privileges(of: .stranger, new: "b") == .read)
        given.set(["editor"], of: stranger)
        #expect(try privileges(of: .stranger, new: "b") == [.read, .create, .write])
        #expect(try privileges(of: .creator, new: "c") == .read)
        given.set([], of: stranger)
        #expect(try privileges(of: .stranger, "b", new: "c") == .read)
    }

    @Test("Where no role is created, nobody's roles are asked for")
    func unasked() throws {
        try define(Self.all)
        #expect(try view(.creator).save("a", in: ZoneIdentifier.defaultName).code == nil)
        #expect(try privileges(of: .stranger, new: "b") == [.read, .create, .write])
        #expect(given.askedCount == 0)
    }

    @Test("A private database is its owner's, whatever is granted")
    func privately() throws {
        try define("GRANT READ TO \"_creator\"")
        let owner = try fixture.database()
        #expect(try owner.save("a", ["n": .plain(.int64(1))]).code == nil)
        #expect(try owner.save("a", ["n": .plain(.int64(2))]).code == nil)
        #expect(try owner.record("a").value(of: "n") == .int64(2))
    }
}
