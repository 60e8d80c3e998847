import Bulla
import BullaTestSupport
import Foundation
import Synchronization
import Testing

/// A stranger writes to a word of the coordination file that says which commit is the newest.
@Suite struct `A commit whose number a stranger sets back` {
    /// A store without a log.
    private func open(_ kind: StoreKind, _ scratch: Scratch) throws -> Store {
        try kind.open(scratch.path("s.bulla")) { $0.fixLog(halfByteCount: nil) }
    }

    private static let published = 128
    private static let durable = 192

    @Test(arguments: StoreKind.allCases)
    func `is built on by the next writer, and not lost`(kind: StoreKind) throws {
        let scratch = try Scratch()
        let first = try open(kind, scratch)
        // It has its own view of the board, as another process would.
        let second = try open(kind, scratch)
        try first.write { try $0.put("1", forKey: "base", in: try $0.openOrCreateTree(named: "t")) }
        let before = try second.read(visibility: .published) { $0.commit }
        try first.write(durability: .relaxed(within: .seconds(3600))) {
            try $0.put("1", forKey: "first", in: try $0.tree(named: "t"))
        }
        try write(before, at: Self.published, of: scratch.path("s.bulla.bulla-world"))
        try second.write { try $0.put("1", forKey: "second", in: try $0.tree(named: "t")) }
        // What is flushed now is what the first one was told, and the second.
        let keys = ["base", "first", "second"]
        let values = try second.read { snapshot in
            let tree = try snapshot.tree(named: "t")
            return try keys.map { try snapshot.value(forKey: $0, in: tree) }
        }
        #expect(values == [Array("1".utf8), Array("1".utf8), Array("1".utf8)])
        #expect(try second.read { $0.commit } == before + 2)
        try second.close()
        try first.close()
    }

    @Test(arguments: StoreKind.allCases, [Visibility.durable, .published])
    func `is seen by who comes afterwards`(kind: StoreKind, visibility: Visibility) throws {
        let scratch = try Scratch()
        let path = scratch.path("s.bulla")
        let first = try open(kind, scratch)
        for number in 1...3 {
            try first.write {
                try $0.put("\(number)", forKey: "key", in: try $0.openOrCreateTree(named: "t"))
            }
        }
        let word = visibility == .durable ? Self.durable : Self.published
        let number = try read(at: word, of: path + ".bulla-world")
        try write(number - 1, at: word, of: path + ".bulla-world")
        let second = try open(kind, scratch)
        let value = try second.read(visibility: visibility) {
            try $0.value(forKey: "key", in: try $0.tree(named: "t"))
        }
        #expect(value == Array("3".utf8))
        #expect(try read(at: word, of: path + ".bulla-world") == number)
        try second.close()
        try first.close()
    }

    /// A leader that knows the flush before would write over the meta slot that was flushed last.
    @Test(arguments: StoreKind.allCases)
    func `is seen by who flushes next, though he knows only the one before`(kind: StoreKind) throws
    {
        let scratch = try Scratch()
        let world = "s.bulla.bulla-world"
        let first = try open(kind, scratch)
        try first.write { try $0.put("1", forKey: "key", in: try $0.openOrCreateTree(named: "t")) }
        let second = try open(kind, scratch)
        _ = try second.read { $0.commit }
        try first.write { try $0.put("2", forKey: "key", in: try $0.tree(named: "t")) }
        let number = try read(at: Self.durable, of: scratch.path(world))
        try write(number - 1, at: Self.durable, of: scratch.path(world))
        try second.write { try $0.put("3", forKey: "other", in: try $0.tree(named: "t")) }
        #expect(try read(at: Self.durable, of: scratch.path(world)) == number + 1)
        try second.close()
        try first.close()
    }

    /// Not even the record of it is left: then the file says what was flushed.
    @Test(arguments: StoreKind.allCases)
    func `is seen by who comes afterwards, though its record was damaged too`(
        kind: StoreKind
    ) throws {
        let scratch = try Scratch()
        let world = "s.bulla.bulla-world"
        let first = try open(kind, scratch)
        for number in 1...3 {
            try first.write {
                try $0.put("\(number)", forKey: "key", in: try $0.openOrCreateTree(named: "t"))
            }
        }
        let number = try read(at: Self.durable, of: scratch.path(world))
        try write(number - 1, at: Self.durable, of: scratch.path(world))
        let cell = 1024 + (2 + Int(number % 2)) * 512
        try scratch.overwrite(world, with: [UInt8](repeating: 9, count: 64), at: cell)
        let second = try open(kind, scratch)
        let value = try second.read { try $0.value(forKey: "key", in: try $0.tree(named: "t")) }
        #expect(value == Array("3".utf8))
        try second.write { try $0.put("4", forKey: "key", in: try $0.tree(named: "t")) }
        #expect(
            try first.read { try $0.value(forKey: "key", in: try $0.tree(named: "t")) }
                == Array("4".utf8))
        try second.close()
        try first.close()
    }

    /// Who begins to write has looked at the file before it got the lock, or not at all: it must
    /// look when nobody can publish any more.
    @Test(arguments: StoreKind.allCases)
    func `is not written over by who waited for the lock meanwhile`(kind: StoreKind) throws {
        let scratch = try Scratch()
        let world = "s.bulla.bulla-world"
        let first = try open(kind, scratch)
        try first.write { try $0.put("1", forKey: "base", in: try $0.openOrCreateTree(named: "t")) }
        let attack = Mutex<(@Sendable () throws -> Void)?>(nil)
        let storage = WatchedStorage { event in
            guard event == .call(.lock) else { return }
            #expect(throws: Never.self) { try attack.withLock { $0.take() }?() }
        }
        let second = try Store.open(
            at: scratch.path("s.bulla"), key: try kind.key(), options: StoreOptions(),
            storage: storage)
        _ = try second.read(visibility: .published) { $0.commit }
        attack.withLock {
            $0 = { [self] in
                try first.write { try $0.put("1", forKey: "first", in: try $0.tree(named: "t")) }
                let number = try read(at: Self.published, of: scratch.path(world))
                // The record of it is there, but nobody finds it.
                let label = 1024 + Int(number % 2) * 512 + 504
                try scratch.overwrite(world, with: [UInt8](repeating: 9, count: 8), at: label)
                try write(number - 1, at: Self.published, of: scratch.path(world))
            }
        }
        let error = #expect(throws: BullaError.self) {
            try second.write { try $0.put("1", forKey: "second", in: try $0.tree(named: "t")) }
        }
        #expect(error?.code == .corrupted)
        #expect(
            try first.read { try $0.value(forKey: "first", in: try $0.tree(named: "t")) }
                == Array("1".utf8))
        try? second.close()
        try? first.close()
        let again = try open(kind, scratch)
        #expect(
            try again.read { try $0.value(forKey: "first", in: try $0.tree(named: "t")) }
                == Array("1".utf8))
        try again.close()
    }

    /// The numbers of both are set back, so that a leader finds less published than is durable.
    @Test(arguments: StoreKind.allCases)
    func `is not flushed over by who published the one before`(kind: StoreKind) throws {
        let scratch = try Scratch()
        let world = scratch.path("s.bulla.bulla-world")
        let first = try open(kind, scratch)
        try first.write { try $0.put("1", forKey: "base", in: try $0.openOrCreateTree(named: "t")) }
        let second = try open(kind, scratch)
        try second.write(durability: .relaxed(within: .seconds(3600))) {
            try $0.put("1", forKey: "second", in: try $0.tree(named: "t"))
        }
        let published = try read(at: Self.published, of: world)
        let durable = try read(at: Self.durable, of: world)
        try first.write { try $0.put("1", forKey: "first", in: try $0.tree(named: "t")) }
        try write(durable, at: Self.durable, of: world)
        try write(published, at: Self.published, of: world)
        let error = #expect(throws: BullaError.self) { try second.close() }
        #expect(error?.code == .corrupted)
        try? first.close()
        let again = try open(kind, scratch)
        for key in ["base", "second", "first"] {
            #expect(
                try again.read { try $0.value(forKey: key, in: try $0.tree(named: "t")) }
                    == Array("1".utf8))
        }
        try again.close()
    }

    private func read(at offset: Int, of path: String) throws -> UInt64 {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? file.close() }
        try file.seek(toOffset: UInt64(offset))
        let bytes = try #require(try file.read(upToCount: 8))
        return bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private func write(_ number: UInt64, at offset: Int, of path: String) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        defer { try? file.close() }
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: Data(number.bytes))
    }
}
