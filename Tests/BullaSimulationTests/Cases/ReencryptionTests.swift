import Bulla
import BullaSimulation
import BullaTestSupport
import Testing

/// A re-encryption, interrupted at each of its steps.
@Suite struct `A re-encryption` {
    private static let otherKey = (0..<64).map { UInt8(255 - $0) }

    @Test(
        "29. Wherever it is cut short, the key that is kept opens the same store, and it goes on",
        arguments: TestMode.seeds(TestMode.pick(short: 2, long: 40)))
    func isCut(seed: UInt64) throws {
        let suite: CipherSuite = seed % 2 == 1 ? .aes256CTRHMACSHA256 : .aes256GCM
        let configuration = Configuration(suite: suite, pageByteCount: 4096)
        try Finding.within(TestMode.replay(seed)) {
            let closed = try ClosedStore(configuration, seed: seed)
            let disk = try SimulatedDisk(closed.image)
            let store = try configuration.open(SimulatedProcess(disk))
            try store.addSlot(for: try StoreKey(Self.otherKey))
            let contents = try contents(store)
            let key = try #require(try configuration.key())
            let begin = disk.history.count
            try store.reencrypt(keys: [key], droppingOtherSlots: true)
            let end = disk.history.count
            disk.switchOff()
            var random = TestRandom(seed: seed)
            var replay = DiskReplay(from: disk.base)
            for event in disk.history[..<begin] { replay.apply(event) }
            for cut in begin...end {
                if cut > begin { replay.apply(disk.history[cut - 1]) }
                for choice in choices(&random) {
                    try Finding.within("cut \(cut - begin) of \(end - begin), \(choice)") {
                        try visit(
                            replay.crashed(choice), configuration, contents, isDone: cut == end)
                    }
                }
            }
        }
    }

    private func choices(_ random: inout TestRandom) -> [CrashChoice] {
        let samples = (0..<TestMode.pick(short: 1, long: 8)).map { _ in
            CrashChoice.sample(random.next())
        }
        return [.processDeath, .nothing] + samples
    }

    /// Each tree's entries, by its name.
    private func contents(_ store: Store) throws -> [TreeName: [[UInt8]]] {
        try store.read { snapshot in
            var contents: [TreeName: [[UInt8]]] = [:]
            for name in try snapshot.treeNames() {
                var entries: [[UInt8]] = []
                try snapshot.scan(try snapshot.tree(named: name)) { key, value in
                    entries += [[UInt8](copying: key), [UInt8](copying: value)]
                    return .next
                }
                contents[name] = entries
            }
            return contents
        }
    }

    private func visit(
        _ image: DiskImage, _ configuration: Configuration, _ contents: [TreeName: [[UInt8]]],
        isDone: Bool
    ) throws {
        let kept = try #require(try configuration.key())
        // The retired key opens the store as it was before, or no longer opens anything.
        let opens = try open(image, StoreKey(Self.otherKey), configuration) { store in
            try demand(try self.contents(store) == contents, "the former way shows other contents")
        }
        try demand(!opens || !isDone, "the slot was dropped, and its key opens")
        try demand(
            try open(image, kept, configuration) { store in
                let began = store.isReencrypting
                try demand(try self.contents(store) == contents, "the contents are others")
                try store.resumeReencryption()
                try demand(!store.isReencrypting, "it came to its end, and is not done")
                try demand(try self.contents(store) == contents, "sealed anew, they are others")
                try demand(try store.check().isSound, "what was sealed anew is damaged")
                guard began || isDone else { return }
                try store.write { try $0.openOrCreateTree(named: "after") }
                try demand(try store.info.keyEpoch >= 1024, "the new secret is not in use")
            }, "the key that is kept does not open")
    }

    /// Whether a key opens what is left; each attempt has a disk of its own.
    private func open(
        _ image: DiskImage, _ key: StoreKey, _ configuration: Configuration,
        _ body: (Store) throws -> Void
    ) throws -> Bool {
        let disk = try SimulatedDisk(image)
        defer { disk.switchOff() }
        var options = configuration.options
        options.creation = .never
        let storage = SimulatedProcess(disk)
        do {
            let store = try Store.open(
                at: Configuration.path, key: key, options: options, storage: storage)
            try body(store)
            try store.close()
            // Open it again, as it was left.
            try Store.open(
                at: Configuration.path, key: key, options: options, storage: storage
            ).close()
            return true
        } catch let error as BullaError {
            try demand(error.code == .wrongKey, "refused with \(error)")
            return false
        }
    }
}
