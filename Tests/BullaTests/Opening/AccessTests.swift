import Bulla
import BullaTestSupport
import Foundation
import Synchronization
import Testing

/// What opening writes, and how it works without permission or space.
@Suite struct `Opened for` {
    private let scratch: Scratch
    private var path: String { scratch.path("s.bulla") }

    init() throws { scratch = try Scratch() }

    /// Opens the store over files that can refuse calls.
    private func open(
        _ kind: StoreKind, _ storage: any StorageSystem, _ access: StoreOptions.Access
    ) throws -> Store {
        var options = StoreOptions()
        options.access = access
        options.lockTimeout = .zero
        return try Store.open(at: path, key: try kind.key(), options: options, storage: storage)
    }

    private func value(_ store: Store) throws -> [UInt8]? {
        try store.read { try $0.value(forKey: "key 7", in: try $0.tree(named: "pets")) }
    }

    private func put(_ text: String, _ store: Store) throws {
        try store.write {
            try $0.put(text, forKey: "key 7", in: try $0.openOrCreateTree(named: "pets"))
        }
    }

    private func time() throws -> Date? {
        try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
    }

    @Test(arguments: StoreKind.allCases, [StoreOptions.Access.readWrite, .readOnly, .immutable])
    func `any use, a store that was closed cleanly is written to only by a change`(
        kind: StoreKind, access: StoreOptions.Access
    ) throws {
        try scratch.makeStore("s.bulla", kind)
        let (bytes, time) = (try scratch.bytes("s.bulla"), try time())
        let writes = Mutex(0)
        let path = path
        let storage = WatchedStorage { event in
            switch event {
            case .write(path, _, _), .flush(path): writes.withLock { $0 += 1 }
            default: break
            }
        }
        let store = try open(kind, storage, access)
        #expect(try value(store) == Array("value 7".utf8))
        _ = try store.info
        #expect(try store.check().isSound)
        try store.close()
        #expect(writes.withLock { $0 } == 0)
        #expect(try scratch.bytes("s.bulla") == bytes)
        #expect(try self.time() == time)
    }

    @Test(arguments: StoreKind.allCases)
    func `reading, a store lets others write`(kind: StoreKind) throws {
        try scratch.makeStore("s.bulla", kind)
        let reader = try open(kind, SystemStorage(), .readOnly)
        let held = try reader.makeSnapshot()
        let writer = try open(kind, SystemStorage(), .readWrite)
        for number in 0..<30 { try put("new \(number)", writer) }
        #expect(
            try held.value(forKey: "key 7", in: try held.tree(named: "pets"))
                == Array("value 7".utf8))
        #expect(try value(reader) == Array("new 29".utf8))
        #expect(try reader.info.sharing == .everybody)
        #expect(refusal { try put("mine", reader) }?.code == .readOnly)
        _ = consume held
        try reader.close()
        try writer.close()
        let again = try open(kind, SystemStorage(), .readOnly)
        #expect(try again.info.recoveryNote == nil)
        #expect(try value(again) == Array("new 29".utf8))
    }

    @Test(arguments: StoreKind.allCases)
    func `reading where nothing can be written, a store keeps writers out and tells them`(
        kind: StoreKind
    ) throws {
        try scratch.makeStore("s.bulla", kind)
        let reader = try open(kind, RefusingStorage.readOnly, .readOnly)
        #expect(try reader.info.sharing == .readers)
        #expect(try value(reader) == Array("value 7".utf8))
        let second = try open(kind, RefusingStorage.readOnly, .readOnly)
        // This third opener could make a coordination file, but it reads without one, as the other
        // two do.
        let third = try open(kind, SystemStorage(), .readOnly)
        #expect(try third.info.sharing == .readers)
        #expect(try scratch.names() == ["s.bulla"])
        let error = refusal { _ = try open(kind, SystemStorage(), .readWrite) }
        #expect(error?.code == .busy)
        #expect(error.says("for reading without a coordination file"))
        try reader.close()
        try second.close()
        // The remaining reader keeps others from making a coordination file, but only until it
        // closes the store.
        #expect(refusal { _ = try open(kind, SystemStorage(), .readOnly) }?.code == .busy)
        try third.close()
        let writer = try open(kind, SystemStorage(), .readWrite)
        try put("new", writer)
        #expect(try value(writer) == Array("new".utf8))
    }

    @Test(arguments: StoreKind.allCases)
    func `reading without the right to write the store, slots beside writers are one's own`(
        kind: StoreKind
    ) throws {
        try scratch.makeStore("s.bulla", kind)
        let writer = try open(kind, SystemStorage(), .readWrite)
        let readers = try (0..<3).map { _ in try open(kind, RefusingStorage.readers, .readOnly) }
        let first = try readers[0].makeSnapshot()
        let second = try readers[1].makeSnapshot()
        for number in 0..<40 { try put("new \(number)", writer) }
        #expect(try writer.info.snapshotCount == 2)
        #expect(try readers[2].info.sharing == .everybody)
        #expect(
            try first.value(forKey: "key 7", in: try first.tree(named: "pets"))
                == Array("value 7".utf8))
        #expect(
            try second.value(forKey: "key 7", in: try second.tree(named: "pets"))
                == Array("value 7".utf8))
        _ = consume first
        _ = consume second
        try readers[0].close()
        try readers[1].close()
        #expect(try writer.info.snapshotCount == 0)
        #expect(try value(readers[2]) == Array("new 39".utf8))
        try readers[2].close()
        try writer.close()
    }

    @Test func `reading beside others, a store names the permission that is missing`() throws {
        try scratch.makeStore("s.bulla", .gcm)
        let writer = try open(.gcm, SystemStorage(), .readWrite)
        let error = refusal { _ = try open(.gcm, RefusingStorage.readOnly, .readOnly) }
        #expect(error?.code == .io)
        #expect(error.says("s.bulla.bulla-world, where a reader marks what it reads"))
        try writer.close()
    }

    @Test(arguments: StoreKind.allCases)
    func `an immutable file, a store takes no lock and asks for none`(kind: StoreKind) throws {
        try scratch.makeStore("s.bulla", kind)
        let counter = CallCounter()
        var opened: Store?
        let count = try counter.count {
            let store = try open(kind, counter.storage, .immutable)
            #expect(try value(store) == Array("value 7".utf8))
            opened = store
        }
        #expect(count.calls[.lock] == nil)
        #expect(count.calls[.isLocked] == nil)
        let store = try #require(opened)
        #expect(try store.info.sharing == .strangers)
        #expect(refusal { try put("new", store) }?.code == .readOnly)
        let writer = try open(kind, SystemStorage(), .readWrite)
        try writer.close()
        try store.close()
    }

    @Test(arguments: StoreKind.allCases)
    func `writing on a disk without room, a store has its process to itself and says so`(
        kind: StoreKind
    ) throws {
        try scratch.makeStore("s.bulla", kind)
        let alone = try open(kind, RefusingStorage.full, .readWrite)
        #expect(try alone.info.sharing == .nobody)
        #expect(try scratch.names() == ["s.bulla"])
        try put("new", alone)
        for access in [StoreOptions.Access.readWrite, .readOnly] {
            let error = refusal { _ = try open(kind, SystemStorage(), access) }
            #expect(error?.code == .busy)
            #expect(error.says("the disk had no room for a coordination file"))
        }
        let error = refusal {
            _ = try Store.check(at: path, key: try kind.key(), timeout: .zero)
        }
        #expect(error?.code == .busy)
        try alone.close()
        let again = try open(kind, SystemStorage(), .readWrite)
        #expect(try again.info.recoveryNote == nil)
        #expect(try value(again) == Array("new".utf8))
    }

    /// If it did not stay alone, others would read without a coordination file while it still
    /// writes.
    @Test(arguments: StoreKind.allCases)
    func `writing on a disk without room, a store stays alone when closing it fails`(
        kind: StoreKind
    ) throws {
        try scratch.makeStore("s.bulla", kind)
        let alone = try open(kind, RefusingStorage.full, .readWrite)
        try alone.write(durability: .relaxed(within: .seconds(3600))) {
            try $0.put("new", forKey: "key 7", in: try $0.tree(named: "pets"))
        }
        // Hold the flush lock, like a process that flushes for too long.
        let other = try SystemStorage().open(path, .writing)
        #expect(try other.lock(LockByte.flush, .exclusive))
        #expect(refusal { try alone.close() }?.code == .notYetDurable)
        let error = refusal { _ = try open(kind, RefusingStorage.readOnly, .readOnly) }
        #expect(error?.code == .busy)
        #expect(error.says("the disk had no room for a coordination file"))
        other.close()
        try alone.close()
        let again = try open(kind, SystemStorage(), .readWrite)
        #expect(try value(again) == Array("new".utf8))
        try again.close()
    }

    @Test func `writing without the right to make a file beside it, a store says what helps`()
        throws
    {
        try scratch.makeStore("s.bulla", .gcm)
        let storage = RefusingStorage(RefusingStorage.permissionDenied) { $1 == .creating }
        let error = refusal { _ = try open(.gcm, storage, .readWrite) }
        #expect(error?.code == .io)
        #expect(error.says("open it for reading"))
        let reader = try open(.gcm, storage, .readOnly)
        #expect(try reader.info.sharing == .readers)
    }

    @Test(arguments: StoreKind.allCases)
    func `reading what nobody closed, a store is verified, not written, and says so`(
        kind: StoreKind
    ) throws {
        try scratch.makeStore("s.bulla", kind)
        let writer = try open(kind, SystemStorage(), .readWrite)
        // The second commit names the first as durable, and nobody has confirmed the second yet.
        try put("new", writer)
        try put("newer", writer)
        let bytes = try scratch.bytes("s.bulla")
        try writer.close()
        try scratch.write(bytes, to: "s.bulla")
        let reader = try open(kind, RefusingStorage.readOnly, .readOnly)
        #expect(try value(reader) == Array("newer".utf8))
        #expect(try reader.info.recoveryNote?.contains("verified") == true)
        // A power loss can still undo what the reader sees.
        #expect(refusal { _ = try reader.anchor }?.code == .notYetDurable)
        #expect(
            refusal { _ = try reader.backup(to: scratch.path("b")) }?.code == .notYetDurable)
        try reader.close()
        #expect(try scratch.bytes("s.bulla") == bytes)
        let again = try open(kind, SystemStorage(), .readWrite)
        #expect(try value(again) == Array("newer".utf8))
    }

    @Test func `reading, a store that is not there is not made`() throws {
        #expect(refusal { _ = try open(.gcm, SystemStorage(), .readOnly) }?.errno == 2)
        #expect(try scratch.names() == [])
    }
}
