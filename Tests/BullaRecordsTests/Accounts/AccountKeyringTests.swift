import Bulla
import BullaMemory
import BullaRecords
import BullaTestSupport
import Synchronization
import Testing

@Suite("The keyring of accounts")
struct AccountKeyringTests {
    private let scratch: Scratch
    private let keyring: AccountKeyring
    private let place = Place("iCloud.org.example.notes", .development)

    init() throws {
        scratch = try Scratch()
        keyring = AccountKeyring(
            try Store.open(at: scratch.path("accounts.bulla"), key: StoreKind.gcm.key()))
    }

    /// The keyring's store, opened as another process would open it.
    private func store() throws -> Store {
        try Store.open(at: scratch.path("accounts.bulla"), key: StoreKind.gcm.key())
    }

    private var vaultCount: Int { get throws { try store().vaultNames().count } }

    /// A raw key, because stretching passwords takes time.
    private func key(_ number: UInt8) throws -> StoreKey {
        try StoreKey((0..<64).map { $0 &* 5 &+ number })
    }

    private func core() throws -> RecordCore {
        let store = try Store.open(at: scratch.path("records.bulla"), key: StoreKind.gcm.key())
        let keys = try keyring.containers.keys(of: place, with: key(99))
        return try RecordCore(EmbeddedBackend(store), keys, clock: { 1_700_000_000_000 })
    }

    private func expect<R>(_ code: RecordError.Code, _ body: () throws -> R) {
        let error = #expect(throws: RecordError.self) { _ = try body() }
        #expect(error?.code == code)
    }

    @Test("opens an account by its key and by no other, again with the same keys")
    func unlocking() throws {
        let account = try keyring.create(in: place, unlockedBy: key(1))
        let first = try keyring.unlock(account, in: place, with: key(1))
        let second = try keyring.unlock(account, in: place, with: key(1))
        #expect(first.account == account && first.epoch == 1 && first.place == place)
        #expect(first.publicKeys.agreement == second.publicKeys.agreement)
        #expect(first.publicKeys.signature == second.publicKeys.signature)
        expect(.authenticationFailed) { try keyring.unlock(account, in: place, with: key(2)) }
        let stranger = AccountIdentifier(try #require(RandomIdentifier(bytes: .init(0..<16))))
        expect(.unknownItem) { try keyring.unlock(stranger, in: place, with: key(1)) }
        let elsewhere = Place(place.container, .production)
        expect(.unknownItem) { try keyring.unlock(account, in: elsewhere, with: key(1)) }
    }

    @Test("takes a password, and says of a wrong one nothing but that")
    func passwords() throws {
        let password = try StoreKey.password(Secret("correct horse"))
        let account = try keyring.create(in: place, unlockedBy: password)
        _ = try keyring.unlock(account, in: place, with: .password(Secret("correct horse")))
        let error = #expect(throws: RecordError.self) {
            try keyring.unlock(account, in: place, with: .password(Secret("correct mule")))
        }
        #expect(error?.code == .authenticationFailed)
        #expect(error?.reason.contains("mule") == false)
        expect(.authenticationFailed) { try keyring.unlock(account, in: place, with: key(1)) }
    }

    @Test("keeps two accounts apart")
    func twoAccounts() throws {
        let one = try keyring.create(in: place, unlockedBy: key(1))
        let two = try keyring.create(in: place, unlockedBy: key(2))
        let keys = [
            try keyring.unlock(one, in: place, with: key(1)),
            try keyring.unlock(two, in: place, with: key(2)),
        ]
        #expect(keys[0].publicKeys.agreement != keys[1].publicKeys.agreement)
        expect(.authenticationFailed) { try keyring.unlock(one, in: place, with: key(2)) }
        expect(.authenticationFailed) { try keyring.unlock(two, in: place, with: key(1)) }
        #expect(try Set(keyring.accounts(in: place)) == [one, two])
        #expect(try keyring.accounts(in: Place("other", .development)).isEmpty)
    }

    @Test("refuses what was changed, or is in another's place")
    func changedRows() throws {
        let accounts = try (0..<2).map { _ in try keyring.create(in: place, unlockedBy: key(1)) }
        func isRefused(_ rows: [(key: [UInt8], value: [UInt8])]) throws -> Bool {
            try store().write { change in
                let tree = try change.tree(named: "accounts")
                for (key, value) in rows { try change.put(value, forKey: key, in: tree) }
            }
            return accounts.allSatisfy { account in
                (try? keyring.unlock(account, in: place, with: key(1))) == nil
            }
        }
        let rows = try store().write { try $0.entries(of: $0.tree(named: "accounts")) }
        #expect(try !isRefused(rows))
        for index in rows[0].value.indices {
            let changed = rows.map { row in
                var value = row.value
                value[index] ^= 1
                return (key: row.key, value: value)
            }
            #expect(try isRefused(changed), "byte \(index)")
        }
        #expect(
            try isRefused([
                (key: rows[0].key, value: rows[1].value), (key: rows[1].key, value: rows[0].value),
            ]))
    }

    @Test("changes a password: the former opens nothing, and the keys stay")
    func changes() throws {
        let account = try keyring.create(in: place, unlockedBy: key(1))
        let keys = try keyring.unlock(account, in: place, with: key(1))
        expect(.authenticationFailed) {
            try keyring.changeKey(of: account, in: place, from: key(3), to: key(2))
        }
        try keyring.changeKey(of: account, in: place, from: key(1), to: key(2))
        expect(.authenticationFailed) { try keyring.unlock(account, in: place, with: key(1)) }
        let after = try keyring.unlock(account, in: place, with: key(2))
        #expect(after.publicKeys.agreement == keys.publicKeys.agreement && after.epoch == 1)
    }

    @Test("resets keys: what was sealed before opens no more, and says why")
    func resets() throws {
        let core = try core()
        let account = try keyring.create(in: place, unlockedBy: key(1))
        let before = try keyring.unlock(account, in: place, with: key(1))
        let view = try core.database(.private, .account(before))
        try view.createZone(CoreFixture.zone)
        _ = try view.save("a", ["s": .sealed(.string("x"))]).record
        let vaults = try vaultCount
        #expect(try keyring.reset(account, in: place, to: key(2)) == 2)
        #expect(try keyring.epoch(of: account, in: place) == 2)
        #expect(try vaultCount == vaults)
        expect(.authenticationFailed) { try keyring.unlock(account, in: place, with: key(1)) }
        let after = try keyring.unlock(account, in: place, with: key(2))
        #expect(after.epoch == 2)
        #expect(after.publicKeys.agreement != before.publicKeys.agreement)
        let later = try core.database(.private, .account(after))
        expect(.encryptedDataReset) { try later.records(["a"], in: CoreFixture.zone) }
        expect(.encryptedDataReset) { try later.save("b") }
        try later.deleteZone(CoreFixture.zone)
        try later.createZone(CoreFixture.zone)
        #expect(try later.save("a", ["s": .sealed(.string("y"))]).code == nil)
    }

    @Test("resets keys once for each reset that is granted, whoever else does at once")
    func concurrentResets() throws {
        let account = try keyring.create(in: place, unlockedBy: key(1))
        let resetCount = Mutex(0)
        let threads = try (0..<2).map { number in
            let (other, key) = (AccountKeyring(try store()), try key(UInt8(10 + number)))
            return TestThread {
                for _ in 0..<20 {
                    do throws(RecordError) {
                        try other.reset(account, in: place, to: key)
                        resetCount.withLock { $0 += 1 }
                    } catch { #expect(error.code == .unavailable) }
                }
            }
        }
        for thread in threads { try thread.join() }
        let epoch = try #require(try keyring.epoch(of: account, in: place))
        #expect(Int(epoch) == 1 + resetCount.withLock { $0 } && epoch > 20)
        let opening = [10, 11].filter { number in
            (try? keyring.unlock(account, in: place, with: key(number))) != nil
        }
        #expect(try opening.count == 1 && vaultCount == 1)
    }

    @Test("forgets an account that is deleted, and its vaults")
    func deletion() throws {
        let account = try keyring.create(in: place, unlockedBy: key(1))
        // A vault such as an interrupted reset leaves.
        let name = try #require(try store().vaultNames().first)
        _ = try store().createVault(named: name + "0", keys: [key(3)])
        let other = try keyring.create(in: place, unlockedBy: key(2))
        try keyring.delete(account, in: place)
        expect(.unknownItem) { try keyring.unlock(account, in: place, with: key(1)) }
        expect(.unknownItem) { try keyring.delete(account, in: place) }
        expect(.unknownItem) { try keyring.reset(account, in: place, to: key(1)) }
        #expect(try keyring.epoch(of: account, in: place) == nil)
        #expect(try keyring.accounts(in: place) == [other])
        #expect(try vaultCount == 1)
    }

    @Test("is one for all who have its store open")
    func sharing() throws {
        let other = AccountKeyring(try store())
        let account = try keyring.create(in: place, unlockedBy: key(1))
        let keys = try keyring.unlock(account, in: place, with: key(1))
        let same = try other.unlock(account, in: place, with: key(1))
        #expect(keys.publicKeys.agreement == same.publicKeys.agreement)
        try other.reset(account, in: place, to: key(2))
        #expect(try keyring.epoch(of: account, in: place) == 2)
        _ = try keyring.unlock(account, in: place, with: key(2))
    }

    @Test("keeps the secret of a container, which only the service's key opens")
    func containers() throws {
        expect(.unknownItem) {
            try keyring.containers.keys(of: place, with: key(9), mayCreate: false)
        }
        _ = try keyring.containers.keys(of: place, with: key(9))
        expect(.authenticationFailed) { try keyring.containers.keys(of: place, with: key(8)) }
        let production = Place(place.container, .production)
        expect(.unknownItem) {
            try keyring.containers.keys(of: production, with: key(9), mayCreate: false)
        }
    }

    @Test("gives a container the same keys each time, so that its records open again")
    func reopening() throws {
        let account = try keyring.create(in: place, unlockedBy: key(1))
        for round in 0..<2 {
            let core = try core()
            let keys = try keyring.unlock(account, in: place, with: key(1))
            let view = try core.database(.private, .account(keys))
            try view.createZone(CoreFixture.zone)
            if round == 0 {
                _ = try view.save("a", ["s": .sealed(.string("x"))]).record
            } else {
                #expect(try view.record("a").value(of: "s") == .string("x"))
            }
        }
    }
}
