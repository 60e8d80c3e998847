import Bulla
import BullaRecords
import BullaRecordsServer
import BullaRecordsSupport
import BullaTestSupport
import Synchronization
import Testing

@Suite("The stores of a service with several databases")
struct PlacedStoresTests {
    private static let container = "iCloud.org.example.notes"
    private static let now: Int64 = 1_795_435_200_000
    private let scratch: Scratch
    private let place = Place(container, .development)
    private let west: Store
    /// What a test does to the calls of the second database.
    private let hooks = HookedSite.Hooks()

    init() throws {
        scratch = try Scratch()
        west = try Store.open(
            at: scratch.path("west.bulla"), key: StoreKey((0..<64).map { $0 &* 3 &+ 7 }))
    }

    private func key(_ number: UInt8) throws -> StoreKey {
        try StoreKey((0..<64).map { $0 &* 3 &+ number })
    }

    private func open(
        _ creation: StoreOptions.Creation = .never, newAccounts: String = "west"
    ) throws -> ServiceStores {
        try ServiceStores(
            at: scratch.path(""), records: .store(key(1)),
            others: ["west": HookedSite(EmbeddedBackend(west), hooks)], newAccounts: newAccounts,
            accountsKey: key(2), creation: creation, clock: { Self.now })
    }

    @Test("Accounts are in several databases, move between them, and leave nothing when deleted")
    func databases() throws {
        // The first account is from a time when there was only one database.
        var stores = try ServiceStores(
            at: scratch.path(""), records: .store(key(1)), accountsKey: key(2),
            creation: .ifMissing, clock: { Self.now })
        try stores.addContainer(Self.container)
        _ = try stores.addAccount(named: "alice", in: place, unlockedBy: key(5))
        try use("alice", in: stores)
        try stores.close()
        stores = try open()
        try use("alice", in: stores)
        _ = try stores.addAccount(named: "bob", in: place, unlockedBy: key(5))
        try use("bob", in: stores)
        #expect(try home(of: "alice", in: stores) == "main")
        #expect(try home(of: "bob", in: stores) == "west")
        #expect(try stores.backend.zones(of: place).count == 2)
        let mover = try stores.mover()
        try mover.move(database(of: "alice", in: stores), to: "west")
        try mover.move(database(of: "bob", in: stores), to: "main")
        try stores.close()
        stores = try open()
        for name in ["alice", "bob"] { try use(name, in: stores) }
        #expect(try home(of: "alice", in: stores) == "west")
        // A zone keeps the account from moving if no core has made that zone.
        let alice = try database(of: "alice", in: stores)
        let forged = StoredZone(alice, name: "forged", incarnation: try .new(), epoch: 1, keys: [])
        let site = try #require(stores.sites["west"])
        #expect(try site.create(forged))
        let error = #expect(throws: RecordError.self) {
            try stores.mover().move(alice, to: "main")
        }
        #expect(error?.code == .damaged)
        #expect(try site.delete(ZoneLife(forged)))
        try stores.mover().cancel(alice)
        #expect(try home(of: "alice", in: stores) == "west")
        // An account whose move was interrupted is deleted at both ends.
        let bob = try database(of: "bob", in: stores)
        let placed = try stores.severalDatabases()
        let stopped = try stores.mover { step throws(RecordError) in
            if step == .fence { throw RecordError(.interrupted, "the mover was stopped") }
        }
        #expect(throws: RecordError.self) { try stopped.move(bob, to: "west") }
        try stores.deleteAccount(try #require(bob.owner), in: place)
        for (name, site) in stores.sites {
            let isHome = try placed.home(of: bob, at: name)?.isHome == true
            #expect(try isHome ? site.zones(in: bob).isEmpty : site.holdsNothing(of: bob))
        }
        #expect(try stores.backend.zones(of: place).count == 1)
        try stores.tidy { _ in }
        try stores.close()
    }

    @Test("The home of an account that was not used yet is known, but not taken")
    func unusedAccounts() throws {
        var stores = try ServiceStores(
            at: scratch.path(""), records: .store(key(1)), accountsKey: key(2),
            creation: .ifMissing, clock: { Self.now })
        try stores.addContainer(Self.container)
        _ = try stores.addAccount(named: "alice", in: place, unlockedBy: key(5))
        try use("alice", in: stores)
        try stores.close()
        stores = try open()
        let placed = try stores.severalDatabases()
        let alice = try database(of: "alice", in: stores)
        for (database, home) in [(alice, "main"), (Database(place, owner: nil), "west")] {
            #expect(try placed.entry(expectedOf: database).home == home)
            #expect(try placed.entry(of: database) == nil)
        }
        try use("alice", in: stores)
        #expect(try placed.entry(expectedOf: alice) == placed.entry(of: alice))
        try stores.close()
    }

    @Test("Tidying finishes a move on which nobody works, and survives a database that fails")
    func oldMoves() throws {
        let stores = try open(.ifMissing, newAccounts: "main")
        try stores.addContainer(Self.container)
        for name in ["alice", "bob"] {
            _ = try stores.addAccount(named: name, in: place, unlockedBy: key(5))
            try use(name, in: stores)
        }
        let placed = try stores.severalDatabases()
        let alice = try database(of: "alice", in: stores)
        let stopped = try stores.mover { step throws(RecordError) in
            if step == .giveUp { throw RecordError(.interrupted, "the mover was killed") }
        }
        #expect(throws: RecordError.self) { try stopped.move(alice, to: "west") }
        // Tidying sees the move for the first time, and leaves it alone: it may be in progress.
        try stores.tidy { _ in }
        #expect(try placed.entry(of: alice)?.state == .moving(to: "west"))
        hooks.die()
        var bookCount = 0
        do throws(RecordError) {
            try stores.tidy { _ in bookCount += 1 }
            Issue.record("a database is dead")
        } catch { #expect(error.code == .unavailable && bookCount == 2) }
        // Tidying could not finish the move, but has let the account be changed again.
        try use("alice", in: stores)
        hooks.fail { _ in }
        for _ in 0..<2 { try stores.tidy { _ in } }
        #expect(try home(of: "alice", in: stores) == "west")
        #expect(try placed.entry(of: alice)?.state == .settled)
        try use("alice", in: stores)
        // Make the database look as if it had been restored to a time before the account came.
        try lose(alice, at: "west", in: stores)
        #expect(try adopted(at: "west", in: stores) == ["alice: lost"])
        #expect(try adopted(at: "main", in: stores).isEmpty)
        try stores.close()
    }

    @Test("Tidying leaves a mover alone that goes on, however long its copy takes")
    func livingMover() throws {
        let stores = try open(.ifMissing)
        try stores.addContainer(Self.container)
        _ = try stores.addAccount(named: "alice", in: place, unlockedBy: key(5))
        let account = try #require(try database(of: "alice", in: stores).owner)
        let keys = try stores.keyring.unlock(account, in: place, with: key(5))
        let view = try #require(try stores.core(of: place)).database(.private, .account(keys))
        for number in 0..<5 { try view.createZone("zone-\(number)") }
        let alice = try database(of: "alice", in: stores)
        let placed = try stores.severalDatabases()
        let attempts = Mutex<[UInt64]>([])
        let mover = try stores.mover { step throws(RecordError) in
            guard [.copy, .complete, .giveUp, .takeOver, .redirect].contains(step) else { return }
            // Tidy as if ten minutes had passed since the last page, or the last step.
            try stores.tidy { _ in }
            let row = try placed.home(of: alice, at: "west")
            attempts.withLock { $0.append(row?.attempt ?? 0) }
        }
        try mover.move(alice, to: "main")
        // Tidying has not taken over the move; that would have used the next attempt number.
        let seen = attempts.withLock { $0 }
        #expect(seen.count >= 5 && Set(seen).count == 1)
        #expect(try home(of: "alice", in: stores) == "main")
        #expect(try placed.entry(of: alice)?.state == .settled)
        try stores.close()
    }

    @Test("An account that a restored database has lost can be deleted, or begin anew")
    func lostAccounts() throws {
        let stores = try open(.ifMissing)
        try stores.addContainer(Self.container)
        let placed = try stores.severalDatabases()
        for name in ["alice", "bob"] {
            _ = try stores.addAccount(named: name, in: place, unlockedBy: key(5))
            try use(name, in: stores)
            let database = try database(of: name, in: stores)
            try stores.mover().move(database, to: "main")
            try lose(database, at: "main", in: stores)
            let error = #expect(throws: RecordError.self) { try use(name, in: stores) }
            #expect(error?.code == .damaged)
            #expect(error?.description.contains("placement abandon") == true)
        }
        #expect(try adopted(at: "main", in: stores) == ["alice: lost", "bob: lost"])
        let bob = try database(of: "bob", in: stores)
        try stores.deleteAccount(try #require(bob.owner), in: place)
        #expect(try stores.keyring.accounts(in: place).count == 1)
        #expect(try stores.keyring.leavingAccounts(in: place).isEmpty)
        let alice = try database(of: "alice", in: stores)
        #expect(try HomeRepair(placed, alice).abandon(at: "west") == .lost(home: "main"))
        #expect(try stores.backend.zones(in: alice).isEmpty)
        try use("alice", in: stores)
        #expect(try home(of: "alice", in: stores) == "west")
        try stores.tidy { _ in }
        try stores.close()
    }

    @Test("Old deletions are forgotten in the databases that answer")
    func deletions() throws {
        let stores = try open(.ifMissing)
        try stores.addContainer(Self.container)
        let core = try #require(try stores.core(of: place))
        var zones: [ZoneLife] = []
        for (name, target) in [("alice", "main"), ("bob", "west")] {
            _ = try stores.addAccount(named: name, in: place, unlockedBy: key(5))
            try use(name, in: stores)
            let database = try database(of: name, in: stores)
            try stores.mover().move(database, to: target)
            let keys = try stores.keyring.unlock(
                try #require(database.owner), in: place, with: key(5))
            let view = try core.database(.private, .account(keys))
            let results = try view.modify(
                [RecordChange("r", .delete(.none))], in: "notes")
            #expect(results.compactMap(\.error).isEmpty)
            zones += try stores.backend.zones(in: database).map { ZoneLife($0) }
        }
        hooks.die()
        let error = #expect(throws: RecordError.self) {
            try core.forgetDeletions(before: Self.now + 1)
        }
        #expect(error?.code == .unavailable)
        hooks.fail { _ in }
        let forgotten = try zones.map {
            try stores.backend.changes(in: $0, after: 0, limit: 9)?.forgottenVersion ?? 0 > 0
        }
        #expect(forgotten == [true, false])
        try core.forgetDeletions(before: Self.now + 1)
        let page = try stores.backend.changes(in: zones[1], after: 0, limit: 9)
        #expect(page?.forgottenVersion ?? 0 > 0)
        try stores.close()
    }

    /// Makes a site look as if it had been restored to a time before a database came there.
    private func lose(
        _ database: Database, at name: String, in stores: ServiceStores
    ) throws {
        let placed = try stores.severalDatabases()
        let row = try #require(try placed.home(of: database, at: name))
        let former = HomeRow(row.generation - 1, .emptied, other: "elsewhere")
        #expect(try placed.replaceHome(of: database, at: name, row, with: former))
    }

    /// Adopts a site's accounts, as `placement restored` does, and returns what that would list.
    private func adopted(at name: String, in stores: ServiceStores) throws -> [String] {
        var lines: [String] = []
        try stores.adoptAccounts(of: name, in: place) { name, _, result in
            lines.append("\(name ?? "-"): \(result)")
        }
        return lines
    }

    private func database(of name: String, in stores: ServiceStores) throws -> Database {
        let account = try stores.keyring.names.account(named: name, in: place)
        return Database(place, owner: try #require(account) as AccountIdentifier)
    }

    private func home(of name: String, in stores: ServiceStores) throws -> String? {
        try stores.placed?.entry(of: database(of: name, in: stores))?.home
    }

    /// Saves a record of an account, and reads it.
    private func use(_ name: String, in stores: ServiceStores) throws {
        let account = try #require(try database(of: name, in: stores).owner)
        let keys = try stores.keyring.unlock(account, in: place, with: key(5))
        let core = try #require(try stores.core(of: place))
        let view = try core.database(.private, .account(keys))
        try view.createZone("notes")
        let field = RecordChange.FieldChange(.string(name), isEncrypted: true)
        let save = RecordChange.Save("Note", .none, fields: ["s": field])
        let results = try view.modify([RecordChange("r", .save(save))], in: "notes")
        #expect(results.compactMap(\.error).isEmpty)
        #expect(try view.records(["r"], in: "notes")[0].get().value(of: "s") == .string(name))
        #expect(try view.verify("notes").isComplete)
    }
}
