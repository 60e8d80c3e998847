import Bulla
import BullaCipher
import BullaTestSupport
import Testing

/// Several ways into one store, as seen by one process.
@Suite struct `Key slots` {
    private let scratch: Scratch
    private var path: String { scratch.path("s.bulla") }

    init() throws { scratch = try Scratch() }

    private static func bytes(_ seed: UInt8) -> [UInt8] { (0..<64).map { $0 &* 7 &+ seed } }

    private static func key(_ seed: UInt8) throws -> StoreKey { try StoreKey(bytes(seed)) }

    private func make(_ kind: StoreKind = .gcm) throws -> Store {
        let store = try kind.open(path)
        try store.write {
            try $0.put("one", forKey: "key", in: try $0.openOrCreateTree(named: "t"))
        }
        return store
    }

    private func opens(_ key: StoreKey) throws -> Bool {
        do {
            let store = try Store.open(at: path, key: key)
            defer { try? store.close() }
            let value = try store.read { try $0.value(forKey: "key", in: $0.tree(named: "t")) }
            #expect(value == Array("one".utf8))
            return true
        } catch let error as BullaError where error.code == .wrongKey {
            return false
        }
    }

    /// A change that was interrupted before a commit named its copy does not count.
    @Test func `are those that the newest commit names`() throws {
        let store = try make()
        try store.addSlot(for: Self.key(1))
        try store.close()
        let named = try scratch.bytes("s.bulla")
        let changing = try Store.open(at: path, key: StoreKey(StoreKind.keyBytes))
        try changing.removeSlot(2)
        try changing.close()
        let newer = try scratch.bytes("s.bulla")
        for copy in 0..<2 {
            let place = PageFormat.keyringOffset + copy * PageFormat.copyDistance
            let range = place..<place + Keyring.copyByteCount
            try scratch.write(named.replacing(range, with: newer[range]), to: "s.bulla")
            let again = try Store.open(at: path, key: StoreKey(StoreKind.keyBytes), options: reader)
            #expect(try again.keySlots().map(\.number) == [1, 2])
            try again.close()
        }
    }

    /// The options of an opener that only reads, and so completes no interrupted change.
    private var reader: StoreOptions {
        var options = StoreOptions()
        options.access = .readOnly
        return options
    }

    @Test(arguments: StoreKind.encrypted)
    func `each open the store, and say which of them did`(kind: StoreKind) throws {
        let store = try make(kind)
        #expect(store.openedSlot == 1)
        #expect(try store.addSlot(for: Self.key(1), label: "spare") == 2)
        #expect(try store.addSlot(for: Self.key(2)) == 3)
        try store.close()
        let keys = try [StoreKey(StoreKind.keyBytes), Self.key(1), Self.key(2)]
        for (key, number) in zip(keys, 1...) {
            let store = try Store.open(at: path, key: key)
            #expect(store.openedSlot == number)
            #expect(try store.keySlots().map(\.number) == [1, 2, 3])
            #expect(try store.keySlots().map(\.label) == [nil, "spare", nil])
            try store.close()
        }
        #expect(try !opens(Self.key(3)))
        #expect(try Store.keySlots(at: path).map(\.kind) == [.key, .key, .key])
        #expect(try Store.check(at: path, key: Self.key(2)).defects.isEmpty)
    }

    @Test func `that are removed open nothing, and their numbers do not come back`() throws {
        let store = try make()
        let first = try store.addSlot(for: Self.key(1))
        try store.removeSlot(first)
        #expect(try !opens(Self.key(1)))
        #expect(try store.addSlot(for: Self.key(2)) == first + 1)
        #expect(refusal { try store.removeSlot(first) }?.code == .keySlotNotFound)
        try store.removeSlot(1)
        #expect(try opens(Self.key(2)))
        #expect(refusal { try store.removeSlot(first + 1) }?.code == .lastKeySlot)
        // The store stays open, though the slot that opened it is gone.
        try store.write { try $0.put("two", forKey: "k2", in: try $0.tree(named: "t")) }
        #expect(refusal { try store.changeKey(to: Self.key(3)) }?.code == .keySlotNotFound)
        try store.close()
        #expect(try !opens(StoreKey(StoreKind.keyBytes)))
        #expect(try opens(Self.key(2)))
    }

    @Test func `are eight at most, with labels of their own`() throws {
        let store = try make()
        for seed in 1...7 { try store.addSlot(for: Self.key(UInt8(seed)), label: "\(seed)") }
        #expect(refusal { _ = try store.addSlot(for: Self.key(8)) }?.code == .keySlotsFull)
        let taken = refusal { try store.changeSlot(3, to: Self.key(9), label: "5") }
        #expect(taken?.code == .invalidArgument)
        let long = String(repeating: "x", count: 64)
        let refused = refusal { try store.changeSlot(3, to: Self.key(9), label: long) }
        #expect(refused?.code == .invalidArgument)
        try store.changeSlot(3, to: Self.key(9), label: String(long.dropLast()))
        #expect(try store.keySlots()[2].label?.count == 63)
        try store.close()
        #expect(try opens(Self.key(9)))
        #expect(try !opens(Self.key(2)))
        #expect(try opens(Self.key(7)))
    }

    @Test func `keep number and label when their key is changed`() throws {
        let store = try make()
        try store.addSlot(for: Self.key(1), label: "spare")
        try store.changeSlot(2, to: Self.key(2))
        #expect(try store.keySlots().map(\.number) == [1, 2])
        #expect(try store.keySlots()[1].label == "spare")
        try store.close()
        let again = try Store.open(at: path, key: Self.key(2))
        try again.changeKey(to: Self.key(3))
        #expect(try again.keySlots()[1].label == "spare")
        try again.close()
        #expect(try opens(Self.key(3)))
        #expect(try opens(StoreKey(StoreKind.keyBytes)))
        #expect(try !opens(Self.key(2)))
    }

    @Test func `are told from wrong keys without opening`() throws {
        let store = try make()
        try store.addSlot(for: Self.key(1))
        #expect(try Store.verifyKey(Self.key(1), at: path))
        #expect(try !Store.verifyKey(Self.key(2), at: path))
        try store.close()
        #expect(try Store.verifyKey(StoreKey(StoreKind.keyBytes), at: path))
        try StoreKind.plain.open(scratch.path("p.bulla")).close()
        let plain = scratch.path("p.bulla")
        #expect(refusal { _ = try Store.verifyKey(Self.key(1), at: plain) }?.code == .notEncrypted)
        #expect(refusal { _ = try Store.keySlots(at: plain) }?.code == .notEncrypted)
    }

    @Test func `of another process's change are seen, and a plain store has none`() throws {
        let first = try make()
        let second = try StoreKind.gcm.open(path)
        try first.addSlot(for: Self.key(1))
        #expect(try second.keySlots().count == 2)
        try second.removeSlot(2)
        #expect(try first.keySlots().count == 1)
        try second.close()
        try first.close()
        let plain = try StoreKind.plain.open(scratch.path("p.bulla"))
        #expect(refusal { _ = try plain.keySlots() }?.code == .notEncrypted)
        #expect(refusal { _ = try plain.addSlot(for: Self.key(1)) }?.code == .notEncrypted)
        #expect(plain.openedSlot == nil)
        try plain.close()
    }
}

extension [UInt8] {
    fileprivate func replacing(_ range: Range<Int>, with bytes: ArraySlice<UInt8>) -> [UInt8] {
        var changed = self
        changed.replaceSubrange(range, with: bytes)
        return changed
    }
}
