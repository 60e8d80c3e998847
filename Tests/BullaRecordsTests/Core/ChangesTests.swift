import Bulla
import BullaRecords
import BullaTestSupport
import Testing

@Suite("Following a zone")
struct ChangesTests {
    private let fixture: CoreFixture
    private let view: DatabaseView

    init() throws {
        var limits = RecordLimits()
        limits.answerCount = 7
        fixture = try CoreFixture(limits: limits)
        view = try fixture.database()
    }

    /// A follower's copy of a zone.
    private struct Copy: Equatable {
        var tags: [String: ChangeTag] = [:]
        var token: [UInt8]?

        mutating func follow(_ view: DatabaseView) throws {
            var hasMore = true
            while hasMore {
                let page = try view.changes(in: CoreFixture.zone, since: token)
                for (name, record) in page.changed { tags[name] = try record.get().tag }
                for (name, _) in page.deleted { tags[name] = nil }
                (token, hasMore) = (page.token, page.hasMore)
            }
        }

        static func == (one: Copy, other: Copy) -> Bool { one.tags == other.tags }
    }

    @Test("A follower from any token comes to what the zone has")
    func convergence() throws {
        var random = TestRandom(seed: 5)
        var followers = [Copy()]
        for step in 0..<300 {
            let name = "r\(random.below(20))"
            if random.isOne(in: 3) {
                _ = try view.delete(name)
            } else {
                _ = try view.save(name, ["n": .sealed(.int64(Int64(step)))])
            }
            if random.isOne(in: 10) {
                var copy = random.pick(followers)
                try copy.follow(view)
                followers.append(copy)
            }
        }
        var fresh = Copy()
        try fresh.follow(view)
        for name in fresh.tags.keys { #expect(try view.record(name).tag == fresh.tags[name]) }
        for index in followers.indices {
            try followers[index].follow(view)
            #expect(followers[index] == fresh)
        }
    }

    @Test("A new client gets no deletions; a follower gets each with its type")
    func deletions() throws {
        _ = try view.save("a", type: "Letter")
        let token = try view.changes(in: CoreFixture.zone).token
        _ = try view.delete("a")
        let since = try view.changes(in: CoreFixture.zone, since: token)
        #expect(since.changed.isEmpty && since.deleted.map(\.name) == ["a"])
        #expect(since.deleted.map(\.type) == ["Letter"])
        let all = try view.changes(in: CoreFixture.zone)
        #expect(all.changed.isEmpty && all.deleted.isEmpty && all.token == since.token)
    }

    @Test("A token is of one zone's life, and of one database")
    func foreignTokens() throws {
        _ = try view.save("a")
        let token = try view.changes(in: CoreFixture.zone).token
        for index in token.indices {
            var changed = token
            changed[index] ^= 1
            expect(.invalidArguments) { try view.changes(in: CoreFixture.zone, since: changed) }
        }
        let other = try fixture.database(2)
        expect(.invalidArguments) { try other.changes(in: CoreFixture.zone, since: token) }
        try view.createZone("second")
        expect(.changeTokenExpired) { try view.changes(in: "second", since: token) }
        try view.deleteZone(CoreFixture.zone)
        expect(.zoneNotFound) { try view.changes(in: CoreFixture.zone, since: token) }
        try view.createZone(CoreFixture.zone)
        expect(.changeTokenExpired) { try view.changes(in: CoreFixture.zone, since: token) }
        #expect(try !view.has("a"))
    }

    @Test("A follower from before forgotten deletions must begin again")
    func forgotten() throws {
        _ = try view.save("a")
        let old = try view.changes(in: CoreFixture.zone).token
        _ = try view.delete("a")
        let late = try view.changes(in: CoreFixture.zone, since: old).token
        _ = try view.save("b")
        try fixture.core.forgetDeletions()
        _ = try view.changes(in: CoreFixture.zone, since: old)
        try fixture.core.forgetDeletions(before: .max)
        expect(.changeTokenExpired) { try view.changes(in: CoreFixture.zone, since: old) }
        let page = try view.changes(in: CoreFixture.zone, since: late)
        #expect(page.changed.map(\.name) == ["b"])
    }

    @Test("Deletions are remembered for as many days as the limits say")
    func deletionDays() throws {
        let day: Int64 = 86_400_000
        for days in [1, 30, 90] {
            let fixture = try CoreFixture(limits: RecordLimits(deletionDays: days))
            let view = try fixture.database()
            _ = try view.save("a")
            let old = try view.changes(in: CoreFixture.zone).token
            _ = try view.delete("a")
            fixture.clock.pass(Int64(days) * day - 1_000)
            try fixture.core.forgetDeletions()
            #expect(try view.changes(in: CoreFixture.zone, since: old).deleted.count == 1)
            fixture.clock.pass(2_000)
            try fixture.core.forgetDeletions()
            expect(.changeTokenExpired) { try view.changes(in: CoreFixture.zone, since: old) }
        }
    }

    @Test("A client that begins after deletions were forgotten reaches the end, page by page")
    func begunLate() throws {
        for number in 0..<30 { _ = try view.save("r\(number)") }
        _ = try view.delete("r3")
        try fixture.core.forgetDeletions(before: .max)
        var late = Copy()
        try late.follow(view)
        #expect(late.tags.count == 29)
        // A page has been read; then one of its records is deleted, and the deletion is forgotten.
        let page = try view.changes(in: CoreFixture.zone)
        #expect(page.changed.map(\.name).contains("r0") && page.hasMore)
        _ = try view.delete("r0")
        _ = try view.changes(in: CoreFixture.zone, since: page.token)
        try fixture.core.forgetDeletions(before: .max)
        expect(.changeTokenExpired) {
            try view.changes(in: CoreFixture.zone, since: page.token)
        }
    }

    @Test("A restored store expires all tokens, also of what it had already at the backup")
    func restored() throws {
        _ = try view.save("a")
        let tokens = (
            zone: try view.changes(in: CoreFixture.zone).token,
            database: try view.databaseChanges().token
        )
        let scratch = try Scratch()
        _ = try fixture.store.backup(to: scratch.path("backup"))
        let key = try StoreKind.gcm.key()
        let path = scratch.path("records.bulla")
        try Store.restore(from: [scratch.path("backup")], to: path, key: key)
        let store = try Store.open(at: path, key: key)
        let restored = try fixture.view(over: store)
        expect(.changeTokenExpired) {
            try restored.changes(in: CoreFixture.zone, since: tokens.zone)
        }
        expect(.changeTokenExpired) { try restored.databaseChanges(since: tokens.database) }
        let begun = try restored.changes(in: CoreFixture.zone)
        #expect(begun.changed.map(\.name) == ["a"])
        // Opening the restored store again does not expire tokens.
        try store.close()
        let again = try Store.open(at: path, key: key)
        let page = try fixture.view(over: again).changes(in: CoreFixture.zone, since: begun.token)
        #expect(page.changed.isEmpty)
        try again.close()
    }

    @Test("The keys of another epoch of the account open nothing, and say why")
    func reset() throws {
        _ = try view.save("a", ["s": .sealed(.int64(1))])
        let later = try fixture.core.database(.private, .account(fixture.account(1, epoch: 2)))
        expect(.encryptedDataReset) { try later.records(["a"], in: CoreFixture.zone) }
        expect(.encryptedDataReset) { try later.changes(in: CoreFixture.zone) }
        expect(.encryptedDataReset) { try later.save("b") }
        try later.deleteZone(CoreFixture.zone)
        try later.createZone(CoreFixture.zone)
        #expect(try later.save("a", ["s": .sealed(.int64(2))]).code == nil)
    }

    @Test("A follower of a database learns which zones to follow, and which are gone")
    func database() throws {
        let all = try view.databaseChanges()
        #expect(all.changed.map(\.name) == [CoreFixture.zone] && all.gone.isEmpty)
        #expect(try view.databaseChanges(since: all.token).changed.isEmpty)
        _ = try view.save("a")
        try view.createZone("second")
        let next = try view.databaseChanges(since: all.token)
        #expect(next.changed.map(\.name) == [CoreFixture.zone, "second"] && !next.hasMore)
        let first = try view.databaseChanges(since: all.token, limit: 1)
        #expect(first.changed.map(\.name) == [CoreFixture.zone] && first.hasMore)
        let rest = try view.databaseChanges(since: first.token, limit: 1)
        #expect(rest.changed.map(\.name) == ["second"])
        try view.deleteZone(CoreFixture.zone)
        let later = try view.databaseChanges(since: next.token)
        #expect(later.gone.map(\.zone.name) == [CoreFixture.zone] && later.changed.isEmpty)
        #expect(later.gone.map(\.reason) == [.deleted])
        try view.createZone(CoreFixture.zone)
        let again = try view.databaseChanges(since: next.token)
        #expect(again.gone.map(\.zone.name) == [CoreFixture.zone])
        #expect(again.changed.map(\.name) == [CoreFixture.zone])
        _ = try view.save("a", in: ZoneIdentifier.defaultName)
        #expect(try view.databaseChanges(since: again.token).changed.isEmpty)
        for index in again.token.indices {
            var changed = again.token
            changed[index] ^= 1
            expect(.invalidArguments) { try view.databaseChanges(since: changed) }
        }
        let other = try fixture.database(2)
        expect(.invalidArguments) { try other.databaseChanges(since: again.token) }
    }

    @Test("A reset removes the keys from all zones, even for a holder of the former keys")
    func forgottenKeys() throws {
        try view.createZone("second")
        _ = try view.save("a", ["s": .sealed(.int64(1))])
        let account = try #require(view.session.account)
        try fixture.core.zoneKeys.forget(of: account)
        try fixture.core.zoneKeys.forget(of: account)
        expect(.encryptedDataReset) { try view.records(["a"], in: CoreFixture.zone) }
        expect(.encryptedDataReset) { try view.save("a") }
        #expect(
            try view.databaseChanges().gone.map(\.reason) == [
                .encryptedDataReset, .encryptedDataReset,
            ])
        let other = try fixture.database(2)
        #expect(try other.save("a").code == nil)
        try view.deleteZone(CoreFixture.zone)
        try view.createZone(CoreFixture.zone)
        #expect(try view.save("a", ["s": .sealed(.int64(2))]).code == nil)
    }

    @Test("A follower of a database learns that its keys were reset")
    func databaseReset() throws {
        let token = try view.databaseChanges().token
        let later = try fixture.core.database(.private, .account(fixture.account(1, epoch: 2)))
        let changes = try later.databaseChanges(since: token)
        #expect(changes.gone.map(\.reason) == [.encryptedDataReset] && changes.changed.isEmpty)
    }

    @Test("A zone that was reported as reset is followed by whoever has keys that open it")
    func openedAgain() throws {
        _ = try view.save("a")
        let later = try fixture.core.database(.private, .account(fixture.account(1, epoch: 2)))
        let reset = try later.databaseChanges()
        #expect(reset.gone.map(\.reason) == [.encryptedDataReset])
        let changes = try view.databaseChanges(since: reset.token)
        #expect(changes.changed.map(\.name) == [CoreFixture.zone] && changes.gone.isEmpty)
        #expect(try view.databaseChanges(since: changes.token).changed.isEmpty)
        let again = try later.databaseChanges(since: changes.token)
        #expect(again.gone.map(\.reason) == [.encryptedDataReset] && again.changed.isEmpty)
    }

    @Test("A token of a database in a former form has expired")
    func formerForm() throws {
        let token = try view.databaseChanges().token
        let known = try DatabaseToken(token, view)
        #expect(try known.bytes(view) == token)
        for version in 0..<DatabaseToken.version {
            let former = try known.bytes(view, version: version)
            expect(.changeTokenExpired) { try view.databaseChanges(since: former) }
        }
        let later = try known.bytes(view, version: DatabaseToken.version + 1)
        expect(.invalidArguments) { try view.databaseChanges(since: later) }
    }

    @Test("Pages of changes go on after zones that were reset")
    func resetPages() throws {
        for name in ["a", "b"] { try view.createZone(name) }
        try fixture.core.zoneKeys.forget(of: try #require(view.session.account))
        let later = try fixture.core.database(.private, .account(fixture.account(1, epoch: 2)))
        try later.createZone("z")
        var (names, token): ([String], [UInt8]?) = ([], nil)
        for _ in 0..<9 {
            let page = try later.databaseChanges(since: token, limit: 1)
            names += (page.gone.map(\.zone) + page.changed).map(\.name)
            token = page.token
            guard page.hasMore else { break }
        }
        #expect(names.sorted() == ["a", "b", CoreFixture.zone, "z"].sorted())
        #expect(try later.databaseChanges(since: token).gone.isEmpty)
    }

    private func expect<R>(_ code: RecordError.Code, _ body: () throws -> R) {
        let error = #expect(throws: RecordError.self) { _ = try body() }
        #expect(error?.code == code)
    }
}
