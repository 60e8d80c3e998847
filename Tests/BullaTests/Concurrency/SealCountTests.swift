import Bulla
import BullaTestSupport
import Testing

/// An outsider writes to the word of the coordination file in which all processes count the pages
/// sealed by one data key.
@Suite struct `A count of seals that a stranger sets back` {
    private static let word = 576
    private static let limit: UInt64 = 1 << 28

    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func open(_ kind: StoreKind) throws -> Store {
        try kind.open(scratch.path("s.bulla"), pageByteCount: 4096)
    }

    /// Puts a value, and makes the trees take it over, which seals pages.
    private func put(_ key: String, in store: Store) throws {
        try store.write {
            try $0.put("value", forKey: key, in: try $0.openOrCreateTree(named: "t"))
        }
        try store.checkpoint()
    }

    private func keys(_ store: Store) throws -> [String] {
        try store.read { snapshot in
            var keys: [String] = []
            try snapshot.scan(try snapshot.tree(named: "t")) { key, _ in
                keys.append(String(decoding: [UInt8](copying: key), as: UTF8.self))
                return .next
            }
            return keys
        }
    }

    private var count: UInt64 {
        get throws {
            let bytes = try scratch.bytes("s.bulla.bulla-world")[Self.word..<Self.word + 8]
            return bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    private func setCount(_ count: UInt64) throws {
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
        try scratch.overwrite("s.bulla.bulla-world", with: bytes, at: Self.word)
    }

    @Test(arguments: StoreKind.encrypted)
    func `is raised by a process that knew it, which begins the next key in time`(
        kind: StoreKind
    ) throws {
        let store = try open(kind)
        try put("a", in: store)
        // The count after TiBs of writes.
        try setCount(Self.limit - 1)
        try put("b", in: store)
        #expect(try store.info.keyEpoch == 1)
        try setCount(0)
        try put("c", in: store)
        #expect(try store.info.keyEpoch == 2)
        let count = try count
        #expect(count > 0 && count < 100)
        try put("d", in: store)
        #expect(try store.info.keyEpoch == 2)
        try store.close()
        let again = try open(kind)
        #expect(try keys(again) == ["a", "b", "c", "d"])
        try again.close()
    }

    /// Each handle has its own view of the word, as a separate process would.
    @Test(arguments: [true, false])
    func `is told to another process by the records of what was sealed`(
        isOpenBefore: Bool
    ) throws {
        let first = try open(.gcm)
        try put("a", in: first)
        let early = isOpenBefore ? try open(.gcm) : nil
        try setCount(Self.limit - 1)
        try put("b", in: first)
        try setCount(0)
        let second = try early ?? open(.gcm)
        try put("c", in: second)
        #expect(try second.info.keyEpoch == 2)
        try second.close()
        // `first` knew that the former key was used up, but it did not know the new key.
        try put("d", in: first)
        #expect(try first.info.keyEpoch == 2)
        #expect(try keys(first) == ["a", "b", "c", "d"])
        try first.close()
    }

    @Test(arguments: StoreKind.encrypted)
    func `has all that a process has sealed itself, and keeps it when the last one closes`(
        kind: StoreKind
    ) throws {
        let store = try open(kind)
        var former = try count
        for number in 0..<20 {
            try put("\(number)", in: store)
            let count = try count
            #expect(count > former)
            former = count
            try setCount(0)
        }
        #expect(try former >= UInt64(store.statistics.sealedPageCount))
        try store.close()
        let again = try open(kind)
        #expect(try count >= former)
        try again.close()
    }

    /// A reader would treat a record with so large a count as damaged.
    @Test(arguments: [UInt64.max - 1000, 1 << 48])
    func `or up, beyond all that can be true, costs a key epoch and nothing else`(
        count: UInt64
    ) throws {
        let (store, other) = (try open(.gcm), try open(.gcm))
        try put("a", in: store)
        try store.write {
            try setCount(count)
            try $0.put("value", forKey: "b", in: try $0.tree(named: "t"))
        }
        try store.checkpoint()
        #expect(try keys(other) == ["a", "b"])
        try other.close()
        for key in ["c", "d"] { try put(key, in: store) }
        #expect(try store.info.keyEpoch == 2)
        try store.close()
        let again = try open(.gcm)
        try put("e", in: again)
        #expect(try again.info.keyEpoch == 2)
        #expect(try keys(again) == ["a", "b", "c", "d", "e"])
        try again.close()
    }
}
