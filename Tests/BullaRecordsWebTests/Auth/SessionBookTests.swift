import Bulla
import BullaRecords
import BullaRecordsWeb
import BullaTestSupport
import Synchronization
import Testing

@Suite("Sessions, programs and servers")
struct SessionBookTests {
    private static let day: Int64 = 86_400_000

    private final class Clock: Sendable {
        private let now = Atomic(Int64(1_795_435_200_000))
        var time: Int64 { now.load(ordering: .relaxed) }
        func advance(_ milliseconds: Int64) { now.add(milliseconds, ordering: .relaxed) }
    }

    private let place = Place("iCloud.org.example.notes", .production)
    private let scratch: Scratch
    private let store: Store
    private let keyring: AccountKeyring
    private let clock = Clock()
    private let book: SessionBook

    init() throws {
        scratch = try Scratch()
        store = try Store.open(at: scratch.path("accounts.bulla"), key: StoreKind.gcm.key())
        keyring = AccountKeyring(store)
        book = SessionBook(keyring, clock: { [clock] in clock.time })
    }

    /// A raw key, because stretching passwords takes time.
    private func key(_ number: UInt8) throws -> StoreKey {
        try StoreKey((0..<64).map { $0 &* 7 &+ number })
    }

    /// Another process's view of the same sessions.
    private var other: SessionBook { SessionBook(keyring, clock: { [clock] in clock.time }) }

    @Test("A user signs in by name and key, and the token opens the account's own keys")
    func signIn() throws {
        let account = try keyring.create(named: "alice", in: place, unlockedBy: key(1))
        let token = try #require(try book.signIn("alice", with: key(1), in: place))
        let keys = try keyring.unlock(account, in: place, with: key(1))
        for book in [book, other] {
            let user = try #require(try book.user(webAuthToken: token, in: place))
            #expect(user.keys.account == account && user.keys.epoch == 1)
            #expect(user.keys.publicKeys.agreement == keys.publicKeys.agreement)
            #expect(user.freshToken == token)
        }
        #expect(try book.signIn("alice", with: key(2), in: place) == nil)
        #expect(try book.signIn("bob", with: key(1), in: place) == nil)
        let elsewhere = Place(place.container, .development)
        #expect(try book.signIn("alice", with: key(1), in: elsewhere) == nil)
        #expect(try book.user(webAuthToken: token, in: elsewhere) == nil)
        #expect(try book.user(webAuthToken: String(token.dropLast()), in: place) == nil)
    }

    @Test("No letter of a token may be another")
    func changedToken() throws {
        _ = try keyring.create(named: "alice", in: place, unlockedBy: key(1))
        let token = try #require(try book.signIn("alice", with: key(1), in: place))
        // The token is cached when it is first used, which must not let other tokens in.
        #expect(try book.user(webAuthToken: token, in: place) != nil)
        var letters = Array(token)
        for index in letters.indices {
            let former = letters[index]
            letters[index] = former == "A" ? "B" : "A"
            #expect(try book.user(webAuthToken: String(letters), in: place) == nil)
            letters[index] = former
        }
    }

    @Test("A token is renewed after a day; the former is good until it ends")
    func renewal() throws {
        let account = try keyring.create(named: "alice", in: place, unlockedBy: key(1))
        let token = try #require(try book.signIn("alice", with: key(1), in: place))
        clock.advance(Self.day)
        let user = try #require(try book.user(webAuthToken: token, in: place))
        #expect(user.freshToken != token)
        let next = try #require(try other.user(webAuthToken: user.freshToken, in: place))
        #expect(next.keys.account == account && next.freshToken == user.freshToken)
        // However many times the former token is presented, there is only one more session.
        #expect(try other.user(webAuthToken: token, in: place)?.freshToken == user.freshToken)
        clock.advance(13 * Self.day - 1)
        #expect(try book.user(webAuthToken: token, in: place) != nil)
        clock.advance(1)
        #expect(try book.user(webAuthToken: token, in: place) == nil)
        #expect(try book.user(webAuthToken: user.freshToken, in: place) != nil)
        clock.advance(2 * Self.day)
        #expect(try book.user(webAuthToken: user.freshToken, in: place) == nil)
        try book.tidy(place)
    }

    @Test("The next session follows from the key and the row together, and not after the end")
    func successor() throws {
        let account = try keyring.create(named: "alice", in: place, unlockedBy: key(1))
        let (sessions, now) = (keyring.sessions, clock.time)
        let former = try SessionKey.random()
        try sessions.begin(
            former, of: account, in: place, unlockedBy: key(1), for: now..<now + Self.day)
        func next(after days: Int64 = 0) throws -> RandomIdentifier? {
            let time = now + days * Self.day
            guard let key = try sessions.successor(of: former, in: place, now: time) else {
                return nil
            }
            return key.identifier
        }
        let first = try #require(try next())
        #expect(try next() == first)
        #expect(try next(after: 1) == nil)
        #expect(try sessions.end(former, in: place))
        #expect(try next() == nil)
        // With another row, the same key leads to another session: the key by itself determines
        // nothing.
        try sessions.begin(
            former, of: account, in: place, unlockedBy: key(1), for: now..<now + Self.day)
        #expect(try next() != first)
    }

    @Test("A session ends where its user signs out, for all processes")
    func signOut() throws {
        _ = try keyring.create(named: "alice", in: place, unlockedBy: key(1))
        let token = try #require(try book.signIn("alice", with: key(1), in: place))
        let second = try #require(try book.signIn("alice", with: key(1), in: place))
        let elsewhere = other
        #expect(try elsewhere.user(webAuthToken: token, in: place) != nil)
        try book.signOut(token, in: place)
        try book.signOut(token, in: place)
        try book.signOut("no token", in: place)
        #expect(try elsewhere.user(webAuthToken: token, in: place) == nil)
        #expect(try book.user(webAuthToken: second, in: place) != nil)
    }

    @Test("All sessions end where keys are reset or the account is deleted, and no others")
    func resetAndDelete() throws {
        let alice = try keyring.create(named: "alice", in: place, unlockedBy: key(1))
        let bob = try keyring.create(named: "bob", in: place, unlockedBy: key(2))
        let first = try #require(try book.signIn("alice", with: key(1), in: place))
        let second = try #require(try book.signIn("bob", with: key(2), in: place))
        #expect(try book.user(webAuthToken: first, in: place) != nil)
        try keyring.reset(alice, in: place, to: key(3))
        #expect(try book.user(webAuthToken: first, in: place) == nil)
        #expect(try book.user(webAuthToken: second, in: place) != nil)
        let third = try #require(try book.signIn("alice", with: key(3), in: place))
        #expect(try book.user(webAuthToken: third, in: place)?.keys.epoch == 2)
        // Changing the password does not affect sessions.
        try keyring.changeKey(of: bob, in: place, from: key(2), to: key(4))
        #expect(try book.user(webAuthToken: second, in: place) != nil)
        try keyring.delete(bob, in: place)
        #expect(try book.user(webAuthToken: second, in: place) == nil)
        #expect(try book.signIn("bob", with: key(4), in: place) == nil)
        #expect(try keyring.names.all(in: place).map(\.name) == ["alice"])
        // The name is free again for another account.
        let newBob = try keyring.create(named: "bob", in: place, unlockedBy: key(5))
        #expect(newBob != bob)
    }

    @Test("A name that nobody has is refused as a wrong password is, after as much work")
    func nobody() throws {
        _ = try keyring.create(named: "alice", in: place, unlockedBy: key(1))
        let password = try StoreKey.password(Secret("correct horse"))
        for _ in 0..<2 {
            #expect(try book.signIn("bob", with: password, in: place) == nil)
            #expect(try store.vaultNames().contains("nobody"))
        }
        #expect(try keyring.accounts(in: place).count == 1)
    }

    @Test("Names are unique, and have no spaces")
    func names() throws {
        _ = try keyring.create(named: "zo\u{eb}", in: place, unlockedBy: key(1))
        let long = String(repeating: "a", count: 256)
        for name in ["zo\u{eb}", "", " ", "a b", "a\u{0}", "a\nb", long] {
            let error = #expect(throws: RecordError.self) {
                _ = try keyring.create(named: name, in: place, unlockedBy: key(1))
            }
            #expect(error?.code == .invalidArguments)
        }
        #expect(try keyring.accounts(in: place).count == 1)
        #expect(try keyring.names.account(named: "a b", in: place) == nil)
    }

    @Test("A program is known by its token, until it is shut out")
    func programs() throws {
        let token = try keyring.programs.add("app", in: place)
        #expect(token.utf8.count == 64)
        #expect(try book.knows(apiToken: token, in: place))
        #expect(try !book.knows(apiToken: token, in: Place(place.container, .development)))
        #expect(try !book.knows(apiToken: String(token.dropLast()), in: place))
        #expect(try !book.knows(apiToken: "", in: place))
        #expect(throws: RecordError.self) { _ = try keyring.programs.add("app", in: place) }
        #expect(try keyring.programs.names(in: place) == ["app"])
        try keyring.programs.remove("app", in: place)
        #expect(try !book.knows(apiToken: token, in: place))
        #expect(throws: RecordError.self) { try keyring.programs.remove("app", in: place) }
    }

    @Test("A server is known by the name of its key, until it is shut out")
    func servers() throws {
        let server = SigningServer("cron", publicKey: ServerSignatures.publicKey)
        let keyID = try keyring.servers.add(server, in: place)
        #expect(try book.serverKey(keyID, in: place)?.publicKey == server.publicKey)
        #expect(try book.serverKey(keyID.uppercased(), in: place) == nil)
        #expect(try keyring.servers.all(in: place) == [keyID: server])
        #expect(throws: RecordError.self) { _ = try keyring.servers.add(server, in: place) }
        let noKey = SigningServer("no", publicKey: [UInt8](repeating: 48, count: 91))
        #expect(throws: RecordError.self) { _ = try keyring.servers.add(noKey, in: place) }
        try keyring.servers.remove(keyID, in: place)
        #expect(try book.serverKey(keyID, in: place) == nil)
        #expect(throws: RecordError.self) { try keyring.servers.remove(keyID, in: place) }
    }
}
