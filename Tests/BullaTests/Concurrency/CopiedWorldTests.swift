import Bulla
import BullaMemory
import BullaTestSupport
import Foundation
import Synchronization
import Testing

/// A copy of the coordination file replaces the one in use.
@Suite struct `A coordination file that a copy of it has replaced` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func replaceWorld() throws {
        let world = scratch.path("s.bulla.bulla-world")
        try FileManager.default.copyItem(atPath: world, toPath: world + ".copy")
        try SystemStorage().rename(world + ".copy", to: world)
    }

    private func open(_ kind: StoreKind, _ storage: any StorageSystem) throws -> Store {
        var options = StoreOptions()
        options.pageByteCount = 4096
        options.suite = kind.suite
        options.dirtyByteLimit = 1 << 16
        options.lockTimeout = .milliseconds(200)
        return try Store.open(
            at: scratch.path("s.bulla"), key: kind.key(), options: options, storage: storage)
    }

    private func change(_ store: Store, count: Int) throws {
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "t")
            for number in 0..<count {
                try change.put([UInt8](repeating: 1, count: 500), forKey: "key \(number)", in: tree)
            }
            try change.put([UInt8](repeating: 2, count: count * 100), forKey: "large", in: tree)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `is joined by nobody`(kind: StoreKind) throws {
        let store = try open(kind, SystemStorage())
        try change(store, count: 100)
        try replaceWorld()
        let error = refusal { _ = try open(kind, SystemStorage()) }
        #expect(error?.code == .busy && error.says("coordination file"))
        #expect(try store.read { try $0.count(of: try $0.tree(named: "t")) } == 101)
        try? store.close()
        let again = try open(kind, SystemStorage())
        #expect(try again.check().isSound)
        try change(again, count: 10)
        try again.close()
    }

    /// Small transactions, and large ones that seal pages early and write large values.
    @Test(arguments: StoreKind.allCases, [1, 2000])
    func `is known to writers before they write a page`(kind: StoreKind, count: Int) throws {
        let writes = Atomic(0)
        let store = try open(
            kind,
            WatchedStorage { event in
                if case .write = event { writes.add(1, ordering: .relaxed) }
                if case .call(.allocate) = event { writes.add(1, ordering: .relaxed) }
            })
        try change(store, count: count)
        try replaceWorld()
        let before = (writes.load(ordering: .relaxed), try scratch.bytes("s.bulla"))
        #expect(refusal { try change(store, count: count) }?.code == .replaced)
        #expect(writes.load(ordering: .relaxed) == before.0)
        #expect(try scratch.bytes("s.bulla") == before.1)
    }

    /// A transaction that began before the replacement writes nothing more than it already has.
    @Test(arguments: StoreKind.allCases)
    func `is known to a transaction that was begun before`(kind: StoreKind) throws {
        let store = try open(kind, SystemStorage())
        try change(store, count: 100)
        var transaction = try store.beginWrite()
        let tree = try transaction.openOrCreateTree(named: "t")
        try transaction.put("value", forKey: "key", in: tree)
        try replaceWorld()
        let before = try scratch.bytes("s.bulla")
        let error: BullaError?
        do throws(BullaError) {
            try transaction.commit()
            error = nil
        } catch let thrown { error = thrown }
        #expect(error?.code == .replaced)
        #expect(try scratch.bytes("s.bulla") == before)
    }
}
