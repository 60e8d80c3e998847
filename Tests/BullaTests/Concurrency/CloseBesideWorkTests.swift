import Bulla
import BullaTestSupport
import Synchronization
import Testing

/// Close waits for work that goes through the gate in its own way.
@Suite struct `Closing a store beside work under way` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func open(
        _ kind: StoreKind, _ name: String = "s.bulla",
        storage: any StorageSystem = SystemStorage()
    ) throws -> Store {
        var options = StoreOptions()
        options.suite = kind.suite
        options.lockTimeout = .milliseconds(20)
        let store = try Store.open(
            at: scratch.path(name), key: kind.key(), options: options, storage: storage)
        try store.write { change in
            try change.put("value", forKey: "key", in: try change.openOrCreateTree(named: "t"))
        }
        return store
    }

    @Test(arguments: StoreKind.allCases)
    func `is refused while a thread commits for a group, whose changes stand`(
        kind: StoreKind
    ) throws {
        let store = try open(kind)
        try whileHeld { hold in
            try store.groupWrite { change in
                try change.put("value", forKey: "mine", in: try change.tree(named: "t"))
                hold()
            }
        } _: {
            #expect(refusal { try store.close() }?.code == .busy)
        }
        #expect(try store.read { try $0.contains("mine", in: try $0.tree(named: "t")) })
        try store.close()
    }

    @Test(arguments: StoreKind.allCases)
    func `is refused while a backup is written, which then is whole`(kind: StoreKind) throws {
        let backup = scratch.path("backup")
        let held = Mutex<(@Sendable () -> Void)?>(nil)
        let storage = WatchedStorage { event in
            guard case .write(let path, _, _) = event, path.hasPrefix(backup) else { return }
            let hold = held.withLock { hold in
                defer { hold = nil }
                return hold
            }
            hold?()
        }
        let store = try open(kind, storage: storage)
        try whileHeld { hold in
            held.withLock { $0 = hold }
            _ = try store.backup(to: backup)
        } _: {
            #expect(refusal { try store.close() }?.code == .busy)
        }
        try store.close()
        let copy = scratch.path("copy.bulla")
        try Store.restore(from: [backup], to: copy, key: kind.key())
        let restored = try kind.open(copy)
        #expect(try restored.read { try $0.contains("key", in: try $0.tree(named: "t")) })
        try restored.close()
    }

    /// A thread's record names 16 gates; those beyond are counted.
    @Test func `is refused while a thread is inside it, however many others it is inside`() throws {
        let stores = try (0..<20).map { try open(.gcm, "s\($0).bulla") }
        /// Reads the stores from `index` on, one inside of the other.
        @Sendable func read(from index: Int, _ innermost: () -> Void) throws {
            guard index < stores.count else { return innermost() }
            try stores[index].read { _ in try read(from: index + 1, innermost) }
        }
        try whileHeld { hold in
            try read(from: 0, hold)
        } _: {
            for store in stores { #expect(refusal { try store.close() }?.code == .busy) }
        }
        for store in stores { try store.close() }
    }
}
