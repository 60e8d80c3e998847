import Bulla
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

    /// A second name of the store, in a folder that has no coordination file.
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
                from: scratch.path("s.bulla"), key: try StoreKind.gcm.key(),
                to: scratch.path("saved"))
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
}
