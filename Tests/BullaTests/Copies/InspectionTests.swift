import Bulla
import BullaTestSupport
import Foundation
import Synchronization
import Testing

@Suite struct `An inspection` {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        try scratch.makeStore("s.bulla", .gcm)
    }

    private func check(_ name: String) throws -> CheckReport {
        try Store.check(at: scratch.path(name), key: try StoreKind.gcm.key())
    }

    /// Gives the store a second name, in a folder without a coordination file.
    private func link() throws -> String {
        try FileManager.default.createDirectory(
            atPath: scratch.path("other"), withIntermediateDirectories: false)
        try FileManager.default.linkItem(
            atPath: scratch.path("s.bulla"), toPath: scratch.path("other/link.bulla"))
        return "other/link.bulla"
    }

    @Test func `of a store in use by a name elsewhere is refused, until nobody uses it`() throws {
        let name = try link()
        let store = try StoreKind.gcm.open(scratch.path("s.bulla"))
        #expect(refusal { _ = try check(name) }?.code == .busy)
        #expect(try check("s.bulla").isSound)
        try store.close()
        #expect(try check(name).isSound)
    }

    @Test func `of a store in use whose coordination file was deleted is refused`() throws {
        let store = try StoreKind.gcm.open(scratch.path("s.bulla"))
        try scratch.remove("s.bulla.bulla-world")
        #expect(refusal { _ = try check("s.bulla") }?.code == .busy)
        let error = refusal {
            _ = try Store.salvage(
                from: scratch.path("s.bulla"), to: scratch.path("saved"),
                key: try StoreKind.gcm.key())
        }
        #expect(error?.code == .busy)
        try store.close()
        #expect(try check("s.bulla").isSound)
    }

    @Test func `goes on where the owner of the store closes as it is about to be joined`() throws {
        let store = try StoreKind.gcm.open(scratch.path("s.bulla"))
        let closed = Mutex(0)
        let storage = WatchedStorage { event in
            guard case .probe(_, isLocked: true) = event else { return }
            closed.withLock { $0 += 1 }
            try? store.close()
        }
        let report = try Store.check(
            at: scratch.path("s.bulla"), key: try StoreKind.gcm.key(), storage: storage)
        #expect(report.isSound)
        #expect(closed.withLock { $0 } == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `of a store that was closed cleanly lets others open it and write meanwhile`(
        kind: StoreKind
    ) throws {
        try scratch.makeStore("c.bulla", kind)
        let path = scratch.path("c.bulla")
        let written = Mutex(0)
        let report = try Store.check(at: path, key: try kind.key()) { _ in
            let error = refusal {
                let store = try kind.open(path) { $0.lockTimeout = .zero }
                try store.write {
                    try $0.put("value", forKey: "new", in: try $0.openOrCreateTree(named: "pets"))
                }
                try store.close()
            }
            #expect(error == nil)
            written.withLock { $0 += 1 }
        }
        #expect(report.isSound)
        #expect(written.withLock { $0 } > 0)
        #expect(try scratch.names() == ["c.bulla", "s.bulla"])
        let store = try kind.open(path)
        #expect(
            try store.read { try $0.value(forKey: "new", in: try $0.tree(named: "pets")) } != nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `of a store that a crash has left writes nothing and keeps writers out`(
        kind: StoreKind
    ) throws {
        let path = scratch.path("c.bulla")
        let dead = try kind.open(path)
        for text in ["a", "b"] {
            try dead.write {
                try $0.put(text, forKey: "key", in: try $0.openOrCreateTree(named: "t"))
            }
        }
        let bytes = try scratch.bytes("c.bulla")
        try dead.close()
        try scratch.write(bytes, to: "c.bulla")
        let refused = Mutex<[BullaError?]>([])
        let report = try Store.check(at: path, key: try kind.key()) { _ in
            let error = refusal { _ = try kind.open(path) { $0.lockTimeout = .zero } }
            refused.withLock { $0.append(error) }
        }
        #expect(report.isSound)
        let errors = refused.withLock { $0 }
        #expect(!errors.isEmpty)
        #expect(errors.allSatisfy { $0?.code == .busy && $0.says("somebody checks") })
        #expect(try scratch.bytes("c.bulla") == bytes)
        try kind.open(path).close()
    }

    /// The coordination file was left by another version of the library.
    @Test func `is not hindered by a coordination file that nobody uses`() throws {
        let (path, world) = (scratch.path("s.bulla"), "s.bulla.bulla-world")
        let store = try StoreKind.gcm.open(path)
        var leftover = try scratch.bytes(world)
        leftover[8] -= 1
        try store.close()
        try scratch.write(leftover, to: world)
        let file = try SystemStorage().open(path, .writing)
        #expect(try file.lock(LockByte.presence, .shared))
        #expect(try file.lock(LockByte.checking, .shared))
        let refused = refusal { _ = try StoreKind.gcm.open(path) { $0.lockTimeout = .zero } }
        #expect(refused?.code == .busy && refused.says("checks or salvages"))
        file.close()
        try StoreKind.gcm.open(path).close()
    }

    @Test func `waits no longer than its limit for an opener or a closer`() throws {
        let (path, key) = (scratch.path("s.bulla"), try StoreKind.gcm.key())
        let file = try SystemStorage().open(path, .writing)
        #expect(try file.lock(LockByte.presence, .exclusive))
        let error = refusal { _ = try Store.check(at: path, key: key, timeout: .zero) }
        #expect(error?.code == .busy)
        #expect(error.says("just opening or closing it; waited 0.0 seconds"))
        #expect(try file.lock(LockByte.recovering, .exclusive))
        let opening = refusal { _ = try StoreKind.gcm.open(path) { $0.lockTimeout = .zero } }
        #expect(opening?.code == .busy)
        #expect(opening.says("recovers what a crash has left"))
        // A process that opens or closes the store locks one of `LockByte.worlds`, too. Such a lock
        // by itself does not mean that the store is in use under another name.
        #expect(try file.lock(LockByte.recovering, .none))
        #expect(try file.lock(LockByte.worlds.lowerBound, .shared))
        let passing = refusal { _ = try StoreKind.gcm.open(path) { $0.lockTimeout = .zero } }
        #expect(passing?.code == .busy && passing.says("just opening or closing it"))
        file.close()
        #expect(try Store.check(at: path, key: key, timeout: .zero).isSound)
    }
}
