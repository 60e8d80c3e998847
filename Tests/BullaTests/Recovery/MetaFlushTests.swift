import Bulla
import BullaTestSupport
import Synchronization
import Testing

@Suite struct `A meta page` {
    /// A test's notes while a store works.
    private final class Notes: Sendable {
        let events = Mutex<[WatchedStorage.Event]>([])
    }

    @Test(arguments: StoreKind.allCases)
    func `that confirms and was read when opening is flushed before the other is written over`(
        kind: StoreKind
    ) throws {
        let scratch = try Scratch()
        let path = scratch.path("confirmed.bulla")
        let store = try kind.open(path)
        try store.write {
            try $0.put("value", forKey: "key", in: try $0.openOrCreateTree(named: "t"))
        }
        try store.close()
        let notes = Notes()
        let storage = WatchedStorage { event in
            if case .call = event { return }
            notes.events.withLock { $0.append(event) }
        }
        let again = try Store.open(
            at: path, key: try kind.key(), options: StoreOptions(), storage: storage)
        _ = try again.read { try $0.tree(named: "t") }
        #expect(notes.events.withLock { $0 }.isEmpty)
        try again.write {
            try $0.put("other", forKey: "key", in: try $0.openOrCreateTree(named: "t"))
        }
        try again.takeOverLog()
        // A process may have died between writing the page and flushing it. Then the kernel shows a
        // page that the disk does not have, and the next flush would overwrite the one that the
        // disk has.
        let offsets = (0..<MetaPage.slotCount).map { MetaPage.offset(slot: $0) }
        let events = notes.events.withLock { $0 }.filter { event in
            switch event {
            case .write(path, let offset, _): offsets.contains(offset)
            case .flush(path): true
            default: false
            }
        }
        let metas = events.indices.filter { if case .write = events[$0] { true } else { false } }
        try #require(metas.count >= 2)
        guard case .write(_, let first, _) = events[metas[0]],
            case .write(_, let second, _) = events[metas[1]]
        else { return }
        #expect(first != second)
        #expect(events[metas[0] + 1] == .flush(path: path))
        #expect(metas[1] > metas[0] + 1)
        try again.close()
    }
}
