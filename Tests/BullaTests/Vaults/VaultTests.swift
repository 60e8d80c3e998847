import Bulla
import BullaTestSupport
import Testing

/// Vaults over bare trees: what they seal, where it opens, and how failures are told apart.
@Suite struct `A vault` {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func open(_ kind: StoreKind, _ name: String = "s.bulla") throws -> Store {
        try kind.open(scratch.path(name), pageByteCount: 4096)
    }

    private static func key(_ seed: UInt8) throws -> StoreKey {
        try StoreKey((0..<64).map { $0 &* 5 &+ seed })
    }

    private func place(_ store: Store, _ key: String = "key") throws -> SealedIdentity {
        try store.write { change in
            SealedIdentity(tree: try change.openOrCreateTree(named: "t"), key: key)
        }
    }

    private func text(_ vault: Vault, _ blob: [UInt8], _ place: SealedIdentity) throws -> String {
        try vault.open(blob, for: place) { String(decoding: $0) }
    }

    @Test(arguments: StoreKind.allCases)
    func `seals for one place, and opens there, also later`(kind: StoreKind) throws {
        var store = try open(kind)
        let vault = try store.createVault(named: "v", keys: [Self.key(1)])
        let blob = try vault.seal("a secret", for: place(store))
        #expect(try text(vault, blob, place(store)) == "a secret")
        #expect(try vault.seal("a secret", for: place(store)) != blob)
        #expect(vault.statistics.sealedCount == 2 && vault.statistics.openedCount == 1)
        try store.close()
        #expect(vault.isLocked)
        store = try open(kind)
        #expect(try store.vaultNames() == ["v"])
        let again = try store.openVault(named: "v", key: Self.key(1))
        #expect(try text(again, blob, place(store)) == "a secret")
        try store.close()
    }

    @Test func `seals single values, and says whether a blob holds one already`() throws {
        struct Login: Codable, Equatable { var user: String }
        let store = try open(.gcm)
        let vault = try store.createVault(named: "v", keys: [Self.key(1)])
        let (place, other) = (try place(store), try place(store, "other"))
        let blob = try vault.seal(encoding: Login(user: "ada"), for: place)
        #expect(try vault.open(blob, as: Login.self, for: place) == Login(user: "ada"))
        #expect(try vault.holds(encoded: Login(user: "ada"), in: blob, for: place))
        #expect(try !vault.holds(encoded: Login(user: "eva"), in: blob, for: place))
        #expect(try !vault.holds(encoded: Login(user: "ada"), in: blob, for: other))
        let mismatch = refusal { _ = try vault.open(blob, as: [Int].self, for: place) }
        #expect(mismatch?.code == .entityMismatch)
        let damage = refusal { _ = try vault.open(blob, as: Login.self, for: other) }
        #expect(damage?.code == .sealDamaged)
        let bytes = try vault.seal("bytes", for: place)
        for (text, isHeld) in [("bytes", true), ("bytez", false), ("", false)] {
            let found = try text.withBytes { try vault.holds($0, in: bytes, for: place) }
            #expect(found == isHeld)
        }
        // Comparing is not opening.
        #expect(vault.statistics.openedCount == 2 && vault.statistics.failedCount == 1)
        vault.lock()
        let locked = refusal { _ = try vault.holds(encoded: 1, in: blob, for: place) }
        #expect(locked?.code == .vaultLocked)
        try store.close()
    }

    @Test func `opens by a password under the label that the password names`() throws {
        let store = try open(.gcm)
        let desk = try StoreKey.password(Secret("a"), slotLabel: "desk")
        let laptop = try StoreKey.password(Secret("b"), slotLabel: "laptop")
        let vault = try store.createVault(named: "v", keys: [desk])
        try vault.changeSlot(1, to: laptop)
        #expect(try !store.openVault(named: "v", key: laptop).isLocked)
        try store.close()
    }

    @Test(arguments: StoreKind.allCases)
    func `goes on opening where its tree is renamed, and in copies`(kind: StoreKind) throws {
        let store = try open(kind)
        let vault = try store.createVault(named: "v", keys: [Self.key(1)])
        let blob = try vault.seal("x", for: place(store))
        try store.write { change in
            try change.put(blob, forKey: "key", in: try change.tree(named: "t"))
            try change.renameTree(named: "t", to: "u")
            // The name is used again, for another tree.
            try change.createTree(named: "t")
        }
        let (renamed, other) = try store.read { snapshot in
            (
                SealedIdentity(tree: try snapshot.tree(named: "u"), key: "key"),
                SealedIdentity(tree: try snapshot.tree(named: "t"), key: "key")
            )
        }
        #expect(try text(vault, blob, renamed) == "x")
        #expect(refusal { _ = try text(vault, blob, other) }?.code == .sealDamaged)
        try store.compact(to: scratch.path("c.bulla"), key: try kind.key())
        try store.close()
        let copy = try open(kind, "c.bulla")
        let copied = try copy.openVault(named: "v", key: Self.key(1))
        try copy.read { snapshot in
            let tree = try snapshot.tree(named: "u")
            let value = try #require(try snapshot.value(forKey: "key", in: tree))
            #expect(try text(copied, value, SealedIdentity(tree: tree, key: "key")) == "x")
        }
        try copy.close()
    }

    @Test func `tells five kinds of failure apart`() throws {
        let store = try open(.gcm)
        let vault = try store.createVault(named: "v", keys: [Self.key(1)])
        let other = try store.createVault(named: "w", keys: [Self.key(1)])
        let place = try place(store)
        let blob = try vault.seal("a secret", for: place)
        func code(_ body: () throws -> Void) -> BullaError.Code? { refusal(body)?.code }
        // The wrong password.
        #expect(code { _ = try store.openVault(named: "v", key: Self.key(2)) } == .wrongKey)
        // Damage, and places other than its own.
        for index in blob.indices where index > 21 {
            var bytes = blob
            bytes[index] ^= 1
            #expect(code { _ = try text(vault, bytes, place) } == .sealDamaged)
        }
        for moved in [
            SealedIdentity(tree: place.tree, key: "kez"),
            SealedIdentity(tree: place.tree, key: "key", property: 1),
            SealedIdentity(tree: place.tree, key: "key", sequence: 1),
            SealedIdentity(tree: place.tree, key: "key", property: 1, sequence: 1),
            SealedIdentity(tree: place.tree, key: ""),
        ] {
            #expect(code { _ = try text(vault, blob, moved) } == .sealDamaged)
        }
        #expect(code { _ = try text(vault, [UInt8](blob.dropLast()), place) } == .sealDamaged)
        #expect(code { _ = try text(vault, [], place) } == .sealDamaged)
        // Another vault.
        #expect(code { _ = try text(other, blob, place) } == .otherVault)
        // Another file's handle.
        let second = try open(.gcm, "t.bulla")
        let strange = try self.place(second)
        #expect(code { _ = try text(vault, blob, strange) } == .otherStore)
        #expect(code { _ = try vault.seal("x", for: strange) } == .otherStore)
        // Locked.
        vault.lock()
        vault.lock()
        #expect(code { _ = try text(vault, blob, place) } == .vaultLocked)
        #expect(code { _ = try vault.seal("x", for: place) } == .vaultLocked)
        #expect(code { _ = try vault.addSlot(for: Self.key(3)) } == .vaultLocked)
        try second.close()
        try store.close()
        #expect(code { _ = try text(other, blob, place) } == .closed)
    }

    @Test func `is opened by each of its slots, and by no other`() throws {
        let store = try open(.plain)
        #expect(
            refusal { _ = try store.createVault(named: "v", keys: []) }?.code == .invalidArgument)
        let first = try store.createVault(
            named: "v", keys: [Self.key(1), Self.key(2)], labels: ["one"])
        let second = refusal { _ = try store.createVault(named: "v", keys: [Self.key(1)]) }
        #expect(second?.code == .vaultExists)
        #expect(
            refusal { _ = try store.openVault(named: "w", key: Self.key(1)) }?.code
                == .vaultNotFound)
        #expect(try store.keySlots(ofVaultNamed: "v").map(\.label) == ["one", nil])
        let place = try place(store)
        let blob = try first.seal("x", for: place)
        let again = try store.openVault(named: "v", key: Self.key(2))
        try again.changeSlot(1, to: Self.key(3))
        #expect(try first.addSlot(for: Self.key(4), label: "four") == 3)
        try first.removeSlot(2)
        for (seed, opens) in [(1, false), (2, false), (3, true), (4, true)] as [(UInt8, Bool)] {
            let refused = refusal {
                let vault = try store.openVault(named: "v", key: Self.key(seed))
                #expect(try text(vault, blob, place) == "x")
            }
            #expect((refused == nil) == opens)
            #expect(opens || refused?.code == .wrongKey)
        }
        try first.removeSlot(1)
        #expect(refusal { try first.removeSlot(3) }?.code == .lastKeySlot)
        #expect(refusal { try first.removeSlot(2) }?.code == .keySlotNotFound)
        try store.dropVault(named: "v")
        #expect(refusal { try store.dropVault(named: "v") }?.code == .vaultNotFound)
        #expect(refusal { _ = try first.keySlots() }?.code == .vaultNotFound)
        try store.close()
    }

    @Test func `of a store, under its own password each, are three at once`() throws {
        let stores = try (0..<3).map { try open(.plain, "\($0).bulla") }
        func password(_ number: Int) throws -> StoreKey {
            try .password(Secret("password \(number)"))
        }
        let vaults = try stores.enumerated().map { number, store in
            try store.createVault(named: "v", keys: [password(number)])
        }
        let places = try stores.map { try place($0) }
        let blobs = try zip(vaults, places).map { try $0.seal("x", for: $1) }
        for vault in 0..<3 {
            for number in 0..<3 {
                let opened = refusal {
                    _ = try stores[vault].openVault(named: "v", key: password(number))
                }
                #expect(opened?.code == (vault == number ? nil : .wrongKey))
                for place in 0..<3 where place != vault || number != vault {
                    let refused = refusal {
                        _ = try text(vaults[vault], blobs[number], places[place])
                    }
                    let expected: BullaError.Code = place == vault ? .otherVault : .otherStore
                    #expect(refused?.code == expected)
                }
            }
        }
        for store in stores { try store.close() }
    }

    @Test func `whose record was changed is damaged, or under another key`() throws {
        let store = try open(.plain)
        _ = try store.createVault(named: "v", keys: [Self.key(1)])
        let whole = try store.read {
            try $0.value(forKey: "v", in: try $0.tree(named: "bulla.vaults"))
        }
        let record = try #require(whole)
        // Change each byte of the head and of the first slot, and every 61st byte of the rest.
        for index in Array(0..<260) + Array(stride(from: 260, to: record.count, by: 61)) {
            var bytes = record
            bytes[index] ^= 4
            try store.write { change in
                try change.put(bytes, forKey: "v", in: try change.tree(named: "bulla.vaults"))
            }
            let code = refusal { _ = try store.openVault(named: "v", key: Self.key(1)) }?.code
            // Either the checksum detects the change, or the binding of the slots to the head does.
            #expect(code == .corrupted || code == .wrongKey)
        }
        // The record is not valid under another name.
        try store.write { change in
            let tree = try change.tree(named: "bulla.vaults")
            try change.put(record, forKey: "v", in: tree)
            try change.put(record, forKey: "w", in: tree)
        }
        _ = try store.openVault(named: "v", key: Self.key(1))
        #expect(
            refusal { _ = try store.openVault(named: "w", key: Self.key(1)) }?.code == .corrupted)
        try store.close()
    }

    @Test func `lists the slots of its own record alone`() throws {
        let store = try open(.plain)
        let vault = try store.createVault(named: "v", keys: [Self.key(1)], labels: ["own"])
        func record() throws -> [UInt8] {
            try store.read { snapshot in
                let tree = try snapshot.tree(named: "bulla.vaults")
                return try #require(try snapshot.value(forKey: "v", in: tree))
            }
        }
        let own = try record()
        try store.dropVault(named: "v")
        let other = try store.createVault(named: "v", keys: [Self.key(1)], labels: ["other"])
        #expect(refusal { _ = try vault.keySlots() }?.code == .vaultNotFound)
        #expect(try other.keySlots().map(\.label) == ["other"])
        // The head of one record, and the keyring of the other.
        let strange = try record()
        let forged = Array(own[..<32]) + Array(strange[32...])
        try store.write { change in
            try change.put(forged, forKey: "v", in: try change.tree(named: "bulla.vaults"))
        }
        #expect(refusal { _ = try vault.keySlots() }?.code == .corrupted)
        vault.lock()
        #expect(refusal { _ = try vault.keySlots() }?.code == .vaultLocked)
        try store.close()
    }

    @Test func `tells watchers what does not open`() async throws {
        let store = try open(.gcm)
        let vault = try await store.createVault(named: "v", keys: [Self.key(1)])
        let place = try place(store)
        var blob = try vault.seal("x", for: place)
        blob[blob.count - 1] ^= 1
        let failures = vault.makeFailureStream()
        for _ in 0..<3 { #expect(refusal { _ = try text(vault, blob, place) } != nil) }
        vault.lock()
        var met = 0
        for await failure in failures {
            met += 1
            #expect(failure.key == Array("key".utf8))
            #expect(failure.treeNumber == place.tree.number)
            #expect(failure.error.code == .sealDamaged && failure.vault == "v")
        }
        #expect(met == 3)
        #expect(vault.statistics.failedCount == 3)
        for await _ in vault.makeFailureStream() { Issue.record("a locked vault has none") }
        try await store.close()
    }

    @Test func `lends no more cleartext at once than it says`() throws {
        let store = try open(.gcm)
        let vault = try store.createVault(named: "v", keys: [Self.key(1)], lentByteLimit: 64 << 10)
        let place = try place(store)
        let blob = try vault.seal([UInt8](repeating: 7, count: 40_000), for: place)
        try vault.open(blob, for: place) { outer in
            #expect(outer.byteCount == 40_000)
            let refused = refusal { try vault.open(blob, for: place) { _ in } }
            #expect(refused?.code == .outOfMemory)
        }
        try vault.open(blob, for: place) { #expect($0.byteCount == 40_000) }
        try store.close()
    }

    @Test func `seals anew under another epoch, and goes on where it was cut short`() throws {
        let store = try open(.gcm)
        let vault = try store.createVault(named: "v", keys: [Self.key(1)])
        let numbers = 0..<50
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "t")
            for number in numbers {
                let key = "key \(100 + number)"
                let blob = try vault.seal("\(number)", for: SealedIdentity(tree: tree, key: key))
                try change.put(blob, forKey: key, in: tree)
            }
            try change.put("no blob", forKey: "other", in: tree)
        }
        let name: TreeName = "t"
        let epoch = vault.epoch
        var reports: [TaskProgress] = []
        let stop = refusal {
            try vault.reseal(trees: [name], portion: 10) { progress throws(BullaError) in
                reports.append(progress)
                if progress.completed >= 20 { throw BullaError(.cancelled, "stop here") }
            }
        }
        #expect(stop?.message == "stop here")
        #expect(reports == [TaskProgress(completed: 10), TaskProgress(completed: 20)])
        #expect(vault.epoch == epoch + 1)
        let other = try store.openVault(named: "v", key: Self.key(1))
        try other.reseal(trees: [name], portion: 7)
        #expect(other.epoch == epoch + 1)
        try store.read { snapshot in
            let tree = try snapshot.tree(named: "t")
            for number in numbers {
                let key = "key \(100 + number)"
                let blob = try #require(try snapshot.value(forKey: key, in: tree))
                #expect(blob[2] == UInt8(epoch + 1))
                let place = SealedIdentity(tree: tree, key: key)
                #expect(try text(vault, blob, place) == "\(number)")
            }
            #expect(try snapshot.value(forKey: "other", in: tree) == Array("no blob".utf8))
        }
        try vault.reseal(trees: [name])
        #expect(vault.epoch == epoch + 2)
        try store.close()
    }
}
