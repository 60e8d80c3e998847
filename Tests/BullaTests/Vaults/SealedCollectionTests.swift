import Bulla
import BullaTestSupport
import Testing

/// Entities of one type, sealed one by one.
@Suite struct `A sealed collection` {
    private struct Login: Codable, Sendable, Equatable {
        var user: String
        var notes: String
        var uses = 0
    }

    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func open(_ kind: StoreKind = .gcm) throws -> Store {
        try kind.open(scratch.path("s.bulla"), pageByteCount: 4096)
    }

    private static let manyCount = 10_000

    private func vault(_ store: Store) throws -> Vault {
        try store.createVault(named: "v", keys: [StoreKey((0..<64).map { $0 &* 5 })])
    }

    private static func login(_ number: Int) -> Login {
        Login(user: "canary-user-\(number)", notes: "canary-notes-\(number)")
    }

    private func fill(
        _ store: Store, _ logins: SealedCollection<Login>, _ count: Int
    ) throws {
        try store.write { change in
            for number in 0..<count {
                try logins.save(Self.login(number), forKey: Self.key(number), in: &change)
            }
        }
    }

    private static func key(_ number: Int) -> String { "key \(10_000 + number)" }

    @Test(arguments: StoreKind.allCases)
    func `opens nothing before it is asked to`(kind: StoreKind) throws {
        let store = try open(kind)
        let vault = try vault(store)
        let logins = SealedCollection<Login>("logins", in: vault)
        let missing = try store.read { try logins.fetch("x", in: $0)?.key }
        #expect(missing == nil)
        try fill(store, logins, Self.manyCount)
        let before = vault.statistics
        try store.read { snapshot in
            var keys: [[UInt8]] = []
            var last: SealedEntity<Login>?
            try logins.forEach(in: snapshot) { sealed in
                keys.append(sealed.key)
                last = sealed
                return .next
            }
            #expect(keys.count == Self.manyCount)
            #expect(keys == keys.sorted { $0.lexicographicallyPrecedes($1) })
            #expect(try logins.count(in: snapshot) == Self.manyCount)
            #expect(vault.statistics == before)
            #expect(try last?.open() == Self.login(Self.manyCount - 1))
            #expect(vault.statistics.openedCount == before.openedCount + 1)
        }
        try store.close()
    }

    @Test func `is visited in a range, in either order, until the visitor stops`() throws {
        let store = try open()
        let vault = try vault(store)
        let logins = SealedCollection<Login>("logins", in: vault)
        try fill(store, logins, 10)
        func keys(_ range: KeyRange, _ order: ScanOrder, atMost limit: Int) throws -> [String] {
            var keys: [String] = []
            try store.read { snapshot in
                try logins.forEach(in: snapshot, range, order: order) { sealed in
                    keys.append(String(decoding: sealed.key, as: UTF8.self))
                    return keys.count < limit ? .next : .stop
                }
            }
            return keys
        }
        #expect(try keys(.all, .ascending, atMost: 2) == [Self.key(0), Self.key(1)])
        #expect(try keys(.all, .descending, atMost: 1) == [Self.key(9)])
        let range = KeyRange.from(Self.key(3), upTo: Self.key(6))
        #expect(try keys(range, .descending, atMost: 9) == [5, 4, 3].map(Self.key))
        #expect(try keys(range, .ascending, atMost: 9) == [3, 4, 5].map(Self.key))
        try store.close()
    }

    @Test func `seals what has changed, and leaves the rest as it is`() throws {
        let store = try open()
        let vault = try vault(store)
        let logins = SealedCollection<Login>("logins", in: vault)
        try fill(store, logins, 1_000)
        func blobs() throws -> [[UInt8]] {
            try store.read { snapshot in
                var blobs: [[UInt8]] = []
                try snapshot.scan(try snapshot.tree(named: "logins")) { _, blob in
                    blobs.append([UInt8](copying: blob))
                    return .next
                }
                return blobs
            }
        }
        let (before, sealed) = (try blobs(), vault.statistics.sealedCount)
        let written = try store.write { change in
            var written = 0
            for number in 0..<1_000 {
                var login = Self.login(number)
                if number % 100 == 0 { login.uses += 1 }
                if try logins.save(login, forKey: Self.key(number), in: &change) { written += 1 }
            }
            return written
        }
        #expect(written == 10)
        #expect(vault.statistics.sealedCount == sealed + 10)
        let after = try blobs()
        #expect(zip(before, after).count { $0 != $1 } == 10)
        try store.close()
    }

    @Test(arguments: StoreKind.allCases)
    func `shows no name of a property and no value`(kind: StoreKind) throws {
        let store = try open(kind)
        let vault = try vault(store)
        let logins = SealedCollection<Login>("logins", in: vault, keys: .hidden)
        try fill(store, logins, 50)
        let fetched = try store.read { try logins.fetch(Self.key(7), in: $0) }
        #expect(try fetched?.open() == Self.login(7))
        try store.write { change in
            try logins.save(Login(user: "ada", notes: ""), forKey: Self.key(7), in: &change)
            let (first, second) = (
                try logins.delete(Self.key(8), in: &change),
                try logins.delete(Self.key(8), in: &change)
            )
            #expect(first && !second)
        }
        #expect(try store.read { try logins.count(in: $0) } == 49)
        try store.close()
        let bytes = try scratch.bytes("s.bulla")
        let text = String(decoding: bytes, as: UTF8.self)
        for word in ["canary", "user", "notes", "uses", "key 1"] { #expect(!text.contains(word)) }
    }

    @Test func `has two equal entities differ, and refuses each in the other's place`() throws {
        let store = try open(.plain)
        let vault = try vault(store)
        let logins = SealedCollection<Login>("logins", in: vault)
        try store.write { change in
            for key in ["a", "b"] { try logins.save(Self.login(1), forKey: key, in: &change) }
            let tree = try change.tree(named: "logins")
            let one = try #require(try change.value(forKey: "a", in: tree))
            let other = try #require(try change.value(forKey: "b", in: tree))
            #expect(one != other && one.count == other.count)
            try change.put(one, forKey: "b", in: tree)
            // Put the same blob into another tree, too.
            let second = try change.createTree(named: "copy")
            try change.put(one, forKey: "a", in: second)
        }
        try store.read { snapshot in
            #expect(try logins.fetch("a", in: snapshot)?.open() == Self.login(1))
            let moved = try logins.fetch("b", in: snapshot)
            #expect(refusal { _ = try moved?.open() }?.code == .sealDamaged)
            let copies = SealedCollection<Login>("copy", in: vault)
            let copied = try copies.fetch("a", in: snapshot)
            #expect(refusal { _ = try copied?.open() }?.code == .sealDamaged)
            let numbers = SealedCollection<[Int]>("logins", in: vault)
            let other = try numbers.fetch("a", in: snapshot)
            #expect(refusal { _ = try other?.open() }?.code == .entityMismatch)
        }
        try store.close()
    }

    @Test func `loses one entity of many to one damaged byte, and names it`() throws {
        let store = try open()
        let vault = try vault(store)
        let logins = SealedCollection<Login>("logins", in: vault)
        try fill(store, logins, Self.manyCount)
        let key = Self.key(500)
        try store.write { change in
            let tree = try change.tree(named: "logins")
            var blob = try #require(try change.value(forKey: key, in: tree))
            blob[60] ^= 1
            try change.put(blob, forKey: key, in: tree)
        }
        let fetch = try store.read { try logins.openAll(in: $0) }
        #expect(fetch.entities.count == Self.manyCount - 1)
        #expect(fetch.failures.map(\.key) == [Array(key.utf8)])
        #expect(fetch.failures.first?.error.code == .sealDamaged)
        // A save repairs it.
        let isWritten = try store.write { change in
            try logins.save(Self.login(500), forKey: key, in: &change)
        }
        #expect(isWritten)
        #expect(try store.read { try logins.openAll(in: $0) }.failures.isEmpty)
        try store.close()
    }

    @Test func `keeps former values of a part, newest first, by count and by age`() throws {
        let store = try open()
        let vault = try vault(store)
        let logins = SealedCollection<Login>("logins", in: vault)
        let passwords = logins.history(ofProperty: 1, as: String.self, keeping: 5)
        let pins = logins.history(
            ofProperty: 2, as: Int.self, keeping: 10, notOlderThan: .seconds(100))
        try store.write { change in
            for number in 0..<8 {
                for key in ["a", "ab"] {
                    try passwords.append(
                        "\(key) \(number)", forKey: key, timeSince1970: .seconds(1_000 + number),
                        in: &change)
                }
                try pins.append(
                    number, forKey: "a", timeSince1970: .seconds(number * 40), in: &change)
            }
        }
        try store.read { snapshot in
            let before = vault.statistics.openedCount
            let versions = try passwords.versions(ofKey: "a", in: snapshot)
            #expect(vault.statistics.openedCount == before)
            #expect(versions.map(\.sequence) == [8, 7, 6, 5, 4])
            #expect(try versions.map { try $0.open().part } == (3..<8).reversed().map { "a \($0)" })
            #expect(try versions[0].open().timeSince1970 == .seconds(1_007))
            #expect(try passwords.versions(ofKey: "ab", in: snapshot).count == 5)
            #expect(try passwords.versions(ofKey: "b", in: snapshot).isEmpty)
            let kept = try pins.versions(ofKey: "a", in: snapshot).map { try $0.open().part }
            #expect(kept == [7, 6, 5])
        }
        try store.write { try passwords.delete("a", in: &$0) }
        try store.read { snapshot in
            let counts = try ["a", "ab"].map {
                try passwords.versions(ofKey: $0, in: snapshot).count
            }
            let pinCount = try pins.versions(ofKey: "a", in: snapshot).count
            #expect(counts == [0, 5] && pinCount == 3)
        }
        try vault.reseal(trees: ["logins", "logins.history"])
        try store.read { snapshot in
            let versions = try passwords.versions(ofKey: "ab", in: snapshot)
            #expect(try versions[0].open().part == "ab 7")
        }
        try store.close()
    }

    @Test func `goes on with a history of which one version is damaged, and prunes by number`()
        throws
    {
        let store = try open()
        let vault = try vault(store)
        let logins = SealedCollection<Login>("logins", in: vault)
        let pins = logins.history(
            ofProperty: 2, as: Int.self, keeping: 3, notOlderThan: .seconds(100))
        let history = Array("logins.history".utf8)
        func append(_ number: Int) throws {
            try store.write {
                try pins.append(number, forKey: "a", timeSince1970: .seconds(number), in: &$0)
            }
        }
        try append(1)
        try store.write { change in
            let tree = try change.tree(named: history)
            // So far this is the only version.
            let first = try change.first(in: tree)
            let version = try #require(first)
            var blob = version.value
            blob[blob.count / 2] ^= 1
            try change.put(blob, forKey: version.key, in: tree)
        }
        let before = vault.statistics.openedCount
        try append(2)
        try append(3)
        #expect(vault.statistics.openedCount == before)
        try store.read { snapshot in
            let versions = try pins.versions(ofKey: "a", in: snapshot)
            #expect(try versions.prefix(2).map { try $0.open().part } == [3, 2])
            #expect(refusal { _ = try versions[2].open() }?.code == .sealDamaged)
        }
        try append(4)
        let count = try store.read { try pins.versions(ofKey: "a", in: $0).count }
        #expect(count == 3)
        try store.close()
    }

    /// A blob that is sealed in another vault, has a newer format, or is longer than this handle
    /// may lend.
    private enum Strange: CaseIterable { case other, newer, long }

    @Test(arguments: Strange.allCases)
    private func `goes on if its vault cannot open a blob`(strange: Strange) throws {
        let store = try open()
        let whole = try self.vault(store)
        let key = try StoreKey((0..<64).map { $0 &* 5 })
        let vault = try store.openVault(named: "v", key: key, lentByteLimit: 8 << 10)
        let other = try store.createVault(named: "w", keys: [key])
        let logins = SealedCollection<String>("logins", in: vault)
        let pins = logins.history(
            ofProperty: 2, as: String.self, keeping: 3, notOlderThan: .seconds(100))
        let long = String(repeating: "7", count: 16 << 10)
        func append(_ part: String, _ number: Int) throws {
            try store.write {
                try pins.append(part, forKey: "a", timeSince1970: .seconds(number), in: &$0)
                try logins.save(part, forKey: "a", in: &$0)
            }
        }
        try append(strange == .long ? long : "1", 1)
        try store.write { change in
            for name in ["logins", "logins.history"] where strange != .long {
                let tree = try change.tree(named: name)
                let first = try change.first(in: tree)
                let entry = try #require(first)
                var blob = entry.value
                let place = SealedIdentity(tree: tree, key: entry.key)
                if strange == .other { blob = try other.seal("12345678", for: place) }
                if strange == .newer { blob[0] = 2 }
                try change.put(blob, forKey: entry.key, in: tree)
            }
        }
        let entity = try store.read { try logins.fetch("a", in: $0) }
        let codes: [Strange: BullaError.Code] = [
            .other: .otherVault, .newer: .unsupportedFormat, .long: .outOfMemory,
        ]
        #expect(refusal { _ = try entity?.open() }?.code == codes[strange])
        // The new value has the same length, so the blob must be opened to compare it.
        try append(strange == .long ? long : "2", 2)
        try append("3", 3)
        let opened = try store.read { try logins.fetch("a", in: $0)?.open() }
        #expect(opened == "3")
        let versions = try store.read { try pins.versions(ofKey: "a", in: $0) }
        #expect(versions.map(\.sequence) == [3, 2, 1])
        #expect(refusal { _ = try versions[2].open() }?.code == codes[strange])
        // If the blob is only too long, a handle that may lend more can open it.
        guard strange == .long else { return try store.close() }
        let wide = SealedCollection<String>("logins", in: whole)
            .history(ofProperty: 2, as: String.self, keeping: 3)
        let first = try store.read { try wide.versions(ofKey: "a", in: $0).last?.open().part }
        #expect(first == long)
        try store.close()
    }

    @Test func `makes no tree where it is refused`() throws {
        let store = try open()
        let vault = try vault(store)
        let logins = SealedCollection<Login>("logins", in: vault)
        let pins = logins.history(ofProperty: 2, as: Int.self, keeping: 3)
        func expectRefusals(_ code: BullaError.Code, by store: Store) throws {
            let names = try store.read { try $0.treeNames() }
            try store.write { change in
                let save = refusal { try logins.save(Self.login(1), forKey: "a", in: &change) }
                let append = refusal {
                    try pins.append(1, forKey: "a", timeSince1970: .seconds(1), in: &change)
                }
                #expect(save?.code == code && append?.code == code)
            }
            #expect(try store.read { try $0.treeNames() } == names)
        }
        let other = try StoreKind.gcm.open(scratch.path("o.bulla"))
        try expectRefusals(.otherStore, by: other)
        vault.lock()
        try expectRefusals(.vaultLocked, by: store)
        try other.close()
        try store.close()
    }
}
