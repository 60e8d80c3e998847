import Bulla
import BullaMemory
import BullaTestSupport
import Testing

/// An outsider overwrites the word in which a snapshot claims its commit; writers then reuse the
/// pages of that commit.
@Suite struct `A snapshot whose slot a stranger writes over` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let slots = 4096..<4096 + 128 * 64

    private func open(_ kind: StoreKind, cacheByteLimit: Int) throws -> Store {
        try kind.open(scratch.path("s.bulla"), pageByteCount: 4096) { options in
            options.cacheByteLimit = cacheByteLimit
        }
    }

    private func put(_ version: Int, to store: Store) throws {
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "t")
            for number in 0..<Self.count {
                try change.put(Self.value(version), forKey: "key \(number)", in: tree)
            }
            try change.put(Self.large(version), forKey: "large", in: tree)
        }
        // The checkpoint reuses freed pages.
        try store.takeOverLog()
    }

    private static let count = 300

    private static func value(_ version: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(version), count: 50)
    }

    private static func large(_ version: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(version), count: 40_000)
    }

    private func overwriteSlots(with word: [UInt8]) throws {
        for offset in stride(from: Self.slots.lowerBound, to: Self.slots.upperBound, by: 64) {
            try scratch.overwrite("s.bulla.bulla-world", with: word, at: offset)
        }
    }

    private enum Read: CaseIterable {
        case get, batch, value, scan, runs, cursor, large, stream, count
    }

    /// The number of values in which the result of a read differs from version 4.
    private func strange(_ read: Read, _ snapshot: borrowing Snapshot) throws -> Int {
        let tree = try snapshot.tree(named: "t")
        let expected = Self.value(4)
        let keys = stride(from: 0, to: Self.count, by: 37).map { Array("key \($0)".utf8) }
        var found = 0
        switch read {
        case .get:
            for key in keys where try snapshot.value(forKey: key, in: tree) != expected {
                found += 1
            }
        case .batch: found = try snapshot.values(forKeys: keys, in: tree).count { $0 != expected }
        case .value:
            for key in keys {
                let isRight = try snapshot.withValue(forKey: key, in: tree) {
                    $0.bytes == expected
                }
                if isRight != true { found += 1 }
            }
        case .scan:
            var (count, strange) = (0, 0)
            try snapshot.scan(tree, .prefix("key")) { _, value in
                count += 1
                if value.bytes != expected { strange += 1 }
                return .next
            }
            found = strange + abs(Self.count - count)
        case .runs: found = try strangeInRuns(snapshot, tree)
        case .cursor:
            var (count, strange) = (0, 0)
            var cursor = try snapshot.makeCursor(in: tree)
            while try cursor.moveToNext() {
                let isKey = try cursor.withKey { $0.bytes.first == 0x6B }
                guard isKey else { continue }
                count += 1
                let value = try cursor.withValue { $0.bytes }
                if value != expected { strange += 1 }
            }
            found = strange + abs(Self.count - count)
        case .large: found = try snapshot.value(forKey: "large", in: tree) == Self.large(4) ? 0 : 1
        case .stream:
            var bytes: [UInt8] = []
            _ = try snapshot.streamValue(forKey: "large", in: tree) { part in
                bytes += part.bytes
            }
            found = bytes == Self.large(4) ? 0 : 1
        case .count: found = try snapshot.count(of: tree) == Self.count + 1 ? 0 : 1
        }
        return found
    }

    private func strangeInRuns(_ snapshot: borrowing Snapshot, _ tree: Tree) throws -> Int {
        var (count, strange) = (0, 0)
        try snapshot.scanRuns(tree, .prefix("key")) { bytes, entries in
            for index in entries.indices {
                count += 1
                let value = entries[index].value.map { bytes.extracting($0).bytes }
                if value != Self.value(4) { strange += 1 }
            }
            return .next
        }
        return strange + abs(Self.count - count)
    }

    @Test(arguments: StoreKind.allCases, [256 << 10, 64 << 20])
    func `gives its own data or says that it was ended, never other data`(
        kind: StoreKind, cacheByteLimit: Int
    ) throws {
        for word in [[UInt8](repeating: 0, count: 8), [255, 0, 0, 0, 0, 0, 0, 0]] {
            for read in Read.allCases {
                let store = try open(kind, cacheByteLimit: cacheByteLimit)
                // A second handle behaves like another process: it shares nothing with the first
                // but the file and the coordination file.
                let writer = try open(kind, cacheByteLimit: cacheByteLimit)
                for version in 0..<5 { try put(version, to: writer) }
                let snapshot = try store.makeSnapshot()
                #expect(try strange(read, snapshot) == 0)
                try overwriteSlots(with: word)
                var ends: [BullaError.Code] = []
                for version in 5..<10 {
                    try put(version, to: writer)
                    let error = refusal {
                        let strange = try strange(read, snapshot)
                        #expect(strange == 0, "\(read)")
                    }
                    if let error { ends.append(error.code) }
                }
                #expect(ends.allSatisfy { $0 == .snapshotExpired }, "\(read): \(ends)")
                // A plain store reads the file itself, and cannot know what its pages held before,
                // so every read must fail.
                #expect(kind != .plain || ends.count == 5, "\(read): \(ends)")
                #expect(try writer.check().isSound)
                try writer.close()
                try store.close()
            }
        }
    }

    /// With a count of 0, writers check no slot at all.
    @Test(arguments: StoreKind.allCases)
    func `is as safe where the count of slots is written over`(kind: StoreKind) throws {
        let store = try open(kind, cacheByteLimit: 256 << 10)
        let writer = try open(kind, cacheByteLimit: 256 << 10)
        for version in 0..<5 { try put(version, to: writer) }
        let snapshot = try store.makeSnapshot()
        #expect(try strange(.get, snapshot) == 0)
        try scratch.overwrite(
            "s.bulla.bulla-world", with: [UInt8](repeating: 0, count: 8), at: 80)
        for version in 5..<10 {
            // A transaction is no safer than a snapshot, so it may fail too.
            let refused = refusal { try put(version, to: writer) }
            #expect(refused == nil || refused?.code == .snapshotExpired)
            let error = refusal {
                let strange = try strange(.scan, snapshot)
                #expect(strange == 0)
            }
            #expect(error == nil || error?.code == .snapshotExpired, "\(String(describing: error))")
            #expect(kind != .plain || error != nil)
        }
        try writer.close()
        try store.close()
    }

    /// The word is restored before the reader checks it, so only a page itself can show that it was
    /// reused.
    @Test(arguments: StoreKind.allCases, [256 << 10, 64 << 20])
    func `and puts back gives its own data or an error`(
        kind: StoreKind, cacheByteLimit: Int
    ) throws {
        let store = try open(kind, cacheByteLimit: cacheByteLimit)
        let writer = try open(kind, cacheByteLimit: cacheByteLimit)
        for version in 0..<5 { try put(version, to: writer) }
        let snapshot = try store.makeSnapshot()
        #expect(try strange(.get, snapshot) == 0)
        let before = Array(try scratch.bytes("s.bulla.bulla-world")[Self.slots])
        try overwriteSlots(with: [UInt8](repeating: 0, count: 8))
        for version in 5..<10 { try put(version, to: writer) }
        try scratch.overwrite("s.bulla.bulla-world", with: before, at: Self.slots.lowerBound)
        var errors = 0
        for read in Read.allCases {
            let error = refusal {
                let strange = try strange(read, snapshot)
                #expect(strange == 0, "\(read)")
            }
            guard let error else { continue }
            errors += 1
            #expect([.corrupted, .snapshotExpired].contains(error.code), "\(error)")
        }
        #expect(kind != .plain || errors > 0)
        try writer.close()
        try store.close()
    }
}

extension RawSpan {
    fileprivate var bytes: [UInt8] { withView { $0.copied() } }
}
