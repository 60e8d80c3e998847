import Bulla
import BullaProcessSupport
import BullaTestSupport
import BullaWorker
import Testing

/// A process commits more than the log takes, and dies after the frame that names its tree has
/// reached the disk, but before a meta names the tree.
@Suite struct `A writer that dies before it has named its tree` {
    enum Successor: CaseIterable {
        case writer, checkpoint, opener
    }

    @Test(arguments: StoreKind.allCases, Successor.allCases)
    func `has committed it, as the next process says`(
        kind: StoreKind, successor: Successor
    ) throws {
        let files = try TestStore(kind)
        let store = try files.open { $0.fixLog(halfByteCount: 64 << 10) }
        // An encrypted store has written one meta before, to reserve nonces, so the meta that names
        // the tree goes to the other slot.
        let naming = kind == .plain ? KillStep.writeSecondMeta : .writeFirstMeta
        let writer = try files.obedient("stop=\(KillPoint(naming, .before))")
        try writer.ask(.open)
        #expect(try writer.ask(.write) == 1)
        writer.tell(.fill)
        writer.child.waitUntilStopped()
        try expect(store, filled: false)
        _ = try writer.kill()
        // Until a process adopts the frame, readers see the commit before it.
        try expect(store, filled: false)
        switch successor {
        case .writer: try store.write { _ = try $0.createTree(named: "another") }
        case .checkpoint: try store.checkpoint()
        case .opener:
            try files.scratch.copy(TestStore.name, to: "copy")
            let copy = try kind.openCopy(files.scratch.path("copy"))
            try expect(copy, filled: true)
            #expect(try copy.check().isSound)
            try copy.close()
            try store.checkpoint()
        }
        try expect(store, filled: true)
        let later = try files.obedient()
        try later.ask(.open)
        #expect(try later.ask(.write) == 3)
        _ = try later.stop()
        try files.expectSound(store)
    }

    private func expect(_ store: Store, filled: Bool) throws {
        for visibility in [SnapshotVisibility.durable, .published] {
            let count = try store.read(visibility: visibility) { snapshot in
                try snapshot.treeIfPresent(named: "filling").map { try snapshot.count(of: $0) }
            }
            #expect(count == (filled ? 1 : nil))
        }
    }
}

extension StoreKind {
    fileprivate func openCopy(_ path: String) throws -> Store {
        var options = StoreOptions()
        options.creation = .never
        return try Store.open(at: path, key: try key(), options: options)
    }
}
