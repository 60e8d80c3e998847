import Bulla
import BullaRecords
import BullaRecordsServer
import BullaRecordsSupport
import BullaTestSupport
import Synchronization
import Testing

@Suite("The stores of a service")
struct ServiceStoresTests {
    private static let container = "iCloud.org.example.notes"
    private let scratch: Scratch
    private let place = Place(container, .development)

    init() throws { scratch = try Scratch() }

    private func key(_ number: UInt8) throws -> StoreKey {
        try StoreKey((0..<64).map { $0 &* 3 &+ number })
    }

    private func open(
        _ creation: StoreOptions.Creation = .never, accounts: UInt8 = 2, at folder: Scratch? = nil,
        front: (any RecordBackend) -> any RecordBackend = { $0 }
    ) throws -> ServiceStores {
        try ServiceStores(
            at: (folder ?? scratch).path(""), records: .store(key(1)),
            accountsKey: key(accounts), creation: creation, clock: { 1_795_435_200_000 },
            front: front)
    }

    @Test("A container is there once it was made, in both environments, for every process")
    func containers() throws {
        #expect(throws: BullaError.self) { try open() }
        let stores = try open(.ifMissing)
        #expect(try stores.core(of: place) == nil)
        #expect(throws: RecordError.self) { try stores.addContainer("a b") }
        try stores.addContainer(Self.container)
        try stores.addContainer(Self.container)
        let other = try open()
        for environment in Environment.allCases {
            let place = Place(Self.container, environment)
            #expect(try stores.core(of: place) != nil && other.core(of: place) != nil)
        }
        #expect(try other.keyring.containers.places().count == 2)
        try other.close()
        try stores.close()
        #expect(throws: BullaError.self) { try open(accounts: 3) }
    }

    @Test("An account that is deleted leaves nothing; one that is reset has other keys")
    func accounts() throws {
        let stores = try open(.ifMissing)
        try stores.addContainer(Self.container)
        let core = try #require(try stores.core(of: place))
        let account = try stores.addAccount(named: "alice", in: place, unlockedBy: key(5))
        _ = try core.directory.keys(of: account)
        let keys = try stores.keyring.unlock(account, in: place, with: key(5))
        let view = try core.database(.private, .account(keys))
        try view.createZone("notes")
        try stores.resetKeys(of: account, in: place, to: key(6))
        let other = try stores.keyring.unlock(account, in: place, with: key(6))
        #expect(other.epoch == 2)
        _ = try core.directory.keys(of: account)
        let database = Database(place, owner: account)
        #expect(try stores.backend.zones(in: database).count == 1)
        try stores.deleteAccount(account, in: place)
        #expect(try stores.backend.zones(in: database).isEmpty)
        #expect(try stores.keyring.accounts(in: place).isEmpty)
        try stores.close()
    }

    @Test("A deletion of an account that fails anywhere goes on, by asking again or by tidying")
    func interruptedDeletion() throws {
        // How many more calls of the backend succeed before all fail; if `nil`, all succeed.
        let left = Mutex<Int?>(nil)
        let stores = try open(.ifMissing) { backend in
            FaultyBackend(BackendInRoom(backend)) { _ in
                left.withLock { left in
                    left = left.map { $0 - 1 }
                    return left ?? 0 < 0 ? .fails : .none
                }
            }
        }
        defer { try? stores.close() }
        try stores.addContainer(Self.container)
        let core = try #require(try stores.core(of: place))
        for isTidied in [false, true] {
            let alice = try stores.addAccount(named: "alice", in: place, unlockedBy: key(5))
            let bob = try stores.addAccount(named: "bob", in: place, unlockedBy: key(6))
            let (owner, guest) = try share(core, stores, alice, bob)
            for zone in ["one", "two"] { try guest.createZone(zone) }
            let database = Database(place, owner: bob)
            var failureCount = 0
            while try stores.keyring.names.account(named: "bob", in: place) != nil {
                left.withLock { $0 = failureCount }
                do throws(RecordError) {
                    if isTidied, failureCount > 0 {
                        try stores.tidy { _ throws(RecordError) in }
                    } else {
                        try stores.deleteAccount(bob, in: place)
                    }
                } catch {
                    #expect(error.code == .unavailable)
                    failureCount += 1
                    // The account's keys were deleted first.
                    #expect(try stores.keyring.epoch(of: bob, in: place) == nil)
                    #expect(try stores.keyring.leavingAccounts(in: place) == [bob])
                }
                left.withLock { $0 = nil }
            }
            #expect(failureCount > 4)
            #expect(try stores.backend.zones(in: database).isEmpty)
            #expect(try stores.keyring.leavingAccounts(in: place).isEmpty)
            #expect(throws: RecordError.self) { try stores.deleteAccount(bob, in: place) }
            let shared = try owner.records([ZoneSharing.recordName], in: "notes")[0].get()
            #expect(shared.sharing?.participants.keys.contains(bob) == false)
            try stores.deleteAccount(alice, in: place)
        }
    }

    @Test("Tidying goes on after a container that cannot be opened")
    func damagedContainer() throws {
        var stores = try open(.ifMissing)
        try stores.addContainer(Self.container)
        // The container gets the key mark of another service.
        #expect(try stores.backend.replace("key mark", of: place, version: 1, with: [1]))
        #expect(try stores.keyring.signatures.take([1], by: "key", until: 1))
        try stores.close()
        stores = try open()
        var places: Set<Place> = []
        var code: RecordError.Code?
        do throws(RecordError) {
            try stores.tidy { place throws(RecordError) in places.insert(place) }
        } catch { code = error.code }
        #expect(code == .damaged && places.count == 2)
        #expect(try stores.keyring.signatures.forget(endedBefore: .max) == 0)
        try stores.close()
    }

    /// Makes a zone that the first account shares with the second, which accepts.
    private func share(
        _ core: RecordCore, _ stores: ServiceStores, _ first: AccountIdentifier,
        _ second: AccountIdentifier
    ) throws -> (owner: DatabaseView, guest: DatabaseView) {
        let keys = try [(first, UInt8(5)), (second, 6)].map { account, number in
            try stores.keyring.unlock(account, in: place, with: key(number))
        }
        let owner = try core.database(.private, .account(keys[0]))
        try owner.createZone("notes")
        let save = RecordChange.Save(
            SystemType.share, .none, fields: [:], participants: [second: .readWrite])
        let results = try owner.modify(
            [RecordChange(ZoneSharing.recordName, .save(save))], in: "notes")
        guard case .saved(let record) = results[0], let sharing = record.sharing else {
            throw RecordError(.internalError, "the zone is not shared")
        }
        _ = try core.shares.accept(core.shares.token(of: sharing), .account(keys[1]))
        return (owner, try core.database(.private, .account(keys[1])))
    }

    @Test("A role is the account's that was given it, for every process, until it is taken")
    func roles() throws {
        let stores = try open(.ifMissing)
        try stores.addContainer(Self.container)
        let core = try #require(try stores.core(of: place))
        let accounts = try ["alice", "bob"].enumerated().map { number, name in
            try stores.addAccount(named: name, in: place, unlockedBy: key(UInt8(number) + 5))
        }
        let (alice, bob) = (accounts[0], accounts[1])
        #expect(throws: RecordError.self) { try stores.grant("editor", to: alice, in: place) }
        let schema = """
            DEFINE SCHEMA CREATE ROLE editor; RECORD TYPE Note (
            n INT64, GRANT READ TO "_world", GRANT CREATE TO editor );
            """
        try core.importSchema(Array(schema.utf8))
        func save(_ number: UInt8, _ account: AccountIdentifier) throws -> RecordError.Code? {
            let other = try open()
            defer { try? other.close() }
            let keys = try other.keyring.unlock(account, in: place, with: key(number))
            let view = try #require(try other.core(of: place))
                .database(.public, .account(keys))
            let change = RecordChange.Save("Note", .none, fields: [:])
            let results = try view.modify(
                [RecordChange("r\(number)", .save(change))], in: ZoneIdentifier.defaultName)
            return results[0].error?.code
        }
        #expect(try save(5, alice) == .permissionFailure)
        for _ in 0..<2 { try stores.grant("editor", to: alice, in: place) }
        #expect(try stores.keyring.roles.all(of: alice, in: place) == ["editor"])
        let production = Place(Self.container, .production)
        #expect(try stores.keyring.roles.all(of: alice, in: production).isEmpty)
        #expect(try save(5, alice) == nil)
        #expect(try save(6, bob) == .permissionFailure)
        try stores.keyring.roles.revoke("editor", from: alice, in: place)
        #expect(throws: RecordError.self) {
            try stores.keyring.roles.revoke("editor", from: alice, in: place)
        }
        try stores.grant("editor", to: bob, in: place)
        try stores.deleteAccount(bob, in: place)
        #expect(try stores.keyring.roles.all(of: bob, in: place).isEmpty)
        #expect(throws: RecordError.self) { try stores.grant("editor", to: bob, in: place) }
        try stores.close()
    }

    @Test("Tokens from before a restore have expired")
    func timelines() throws {
        let restored = try Scratch()
        let stores = try open(.ifMissing)
        try stores.addContainer(Self.container)
        let core = try #require(try stores.core(of: place))
        let account = try stores.keyring.create(named: "alice", in: place, unlockedBy: key(5))
        let keys = try stores.keyring.unlock(account, in: place, with: key(5))
        let view = try core.database(.private, .account(keys))
        try view.createZone("notes")
        let token = try view.changes(in: "notes").token
        #expect(try view.changes(in: "notes", since: token).changed.isEmpty)
        for (store, name, number) in [
            (try #require(stores.records), "records", UInt8(1)), (stores.accounts, "accounts", 2),
        ] {
            let backup = scratch.path("\(name).backup")
            _ = try store.backup(to: backup)
            let path = restored.path("\(name).bulla")
            try Store.restore(from: [backup], to: path, key: key(number))
        }
        try stores.close()
        let later = try open(at: restored)
        try later.openContainers()
        let laterCore = try #require(try later.core(of: place))
        let laterKeys = try later.keyring.unlock(account, in: place, with: key(5))
        let error = #expect(throws: RecordError.self) {
            _ = try laterCore.database(.private, .account(laterKeys))
                .changes(in: "notes", since: token)
        }
        #expect(error?.code == .changeTokenExpired)
        try later.close()
    }
}

/// A room whose backend is always the same.
private final class BackendInRoom: BackendRoom {
    let backend: any RecordBackend
    init(_ backend: any RecordBackend) { self.backend = backend }
    func restart() {}
}
