import Bulla
import BullaRecords
import BullaRecordsServer
import BullaRecordsWeb
import BullaTestSupport
import Synchronization
import Testing

/// A console over its own stores, with one account.
final class ConsoleFixture: Sendable {
    static let verbs = ["pass", "schema", "promote", "reset-keys"]
    static let schema = """
        DEFINE SCHEMA ( RECORD TYPE Note ( secret ENCRYPTED STRING ); );
        """

    let stores: ServiceStores
    let book: SessionBook
    let sessions: ConsoleSessions
    let place = Place("iCloud.org.example.notes", .development)
    let account: AccountIdentifier
    let time = FixtureTime()
    private let desk: ConsoleDesk
    private let noted = Noted()
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        let clock = time.clock
        stores = try ServiceStores(
            at: scratch.path(""), records: .store(Self.key(1)), accountsKey: Self.key(2),
            creation: .ifMissing, clock: clock)
        try stores.addContainer(place.container)
        account = try stores.addAccount(named: "alice", in: place, unlockedBy: Self.key(5))
        book = SessionBook(stores.keyring, clock: clock)
        sessions = ConsoleSessions(book, stores, clock: clock)
        let signIn = SignInDesk(book, failuresPerMinute: 10, passwordCount: 2, clock: clock)
        desk = ConsoleDesk(stores, book, signIn, clock: clock) { [noted] event, facts in
            noted.add("\(event): \(facts["additions"] ?? "")")
        }
    }

    deinit { try? stores.close() }

    static func key(_ number: UInt8) throws -> StoreKey {
        try StoreKey((0..<64).map { $0 &* 3 &+ number })
    }

    /// What the console has reported to the log.
    var notes: [String] { noted.all }

    /// A new token of the account.
    func signIn() throws -> String {
        try #require(try book.signIn("alice", with: Self.key(5), in: place))
    }

    func path(_ verb: String, in environment: String = "development") -> String {
        "/console/\(verb)/\(place.container)/\(environment)"
    }

    func body(_ token: String, _ more: [String: String] = [:]) -> String {
        let members = ["ckWebAuthToken": token].merging(more) { $1 }
        return "{\(members.map { "\"\($0)\":\"\($1)\"" }.joined(separator: ","))}"
    }

    func get(_ target: String) -> WebAnswer { send("GET", target) }

    func send(_ method: String, _ target: String, _ body: String = "") -> WebAnswer {
        desk.answer(WebRequest(method, target, body: Array(body.utf8)))
    }

    /// The answer to a request that must succeed.
    func ask(
        _ verb: String, _ token: String, _ more: [String: String] = [:]
    ) throws -> JSONValue {
        let answer = send("POST", path(verb), body(token, more))
        try #require(answer.status == 200)
        return try JSONText.read(answer.body)
    }
}

/// A clock that tests set.
final class FixtureTime: Sendable {
    private let now = Mutex<Int64>(1_795_435_200_000)

    var clock: @Sendable () -> Int64 { { self.now.withLock { $0 } } }

    func pass(_ milliseconds: Int64) { now.withLock { $0 += milliseconds } }
}

/// What was reported.
private final class Noted: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func add(_ line: String) { lines.withLock { $0.append(line) } }
}
