import Bulla
import BullaSimulation
import BullaTestSupport
import Testing

/// A change of the user's key, interrupted at each of its steps.
@Suite struct `A change of the key` {
    private static let newKey = (0..<64).map { UInt8(255 - $0) }

    @Test(
        "29. Wherever it is cut short, one of the keys opens the store, and then only that one",
        arguments: TestMode.seeds(TestMode.pick(short: 4, long: 100)))
    func isCut(seed: UInt64) throws {
        let suite: CipherSuite = seed % 4 == 3 ? .aes256CTRHMACSHA256 : .aes256GCM
        let configuration = Configuration(suite: suite, pageByteCount: 4096)
        try Finding.within(TestMode.replay(seed)) {
            let closed = try ClosedStore(configuration, seed: seed)
            let disk = try SimulatedDisk(closed.image)
            let store = try configuration.open(SimulatedProcess(disk))
            let begin = disk.history.count
            try store.changeKey(to: try StoreKey(Self.newKey))
            let end = disk.history.count
            disk.switchOff()
            var random = TestRandom(seed: seed)
            var replay = DiskReplay(from: disk.base)
            for event in disk.history[..<begin] { replay.apply(event) }
            for cut in begin...end {
                if cut > begin { replay.apply(disk.history[cut - 1]) }
                for choice in choices(&random) {
                    try Finding.within("cut \(cut - begin) of \(end - begin), \(choice)") {
                        let image = replay.crashed(choice)
                        try visit(image, configuration, isDone: cut == end, closed)
                    }
                }
            }
        }
    }

    private func choices(_ random: inout TestRandom) -> [CrashChoice] {
        [.processDeath, .nothing, .everything, .metaOnly, .pagesOnly]
            + (0..<8).map { _ in .sample(random.next()) }
    }

    /// Opens what is left with each of the two keys, each time on a disk of its own.
    private func visit(
        _ image: DiskImage, _ configuration: Configuration, isDone: Bool, _ closed: ClosedStore
    ) throws {
        let keys = (former: try #require(try configuration.key()), new: try StoreKey(Self.newKey))
        let former = try open(image, keys.former, other: keys.new, configuration)
        let new = try open(image, keys.new, other: keys.former, configuration)
        try demand(former || new, "neither key opens the store")
        try demand(new || !isDone, "the change was made, and the new key does not open")
        try demand(!former || !isDone, "the change was made, and the former key opens")
    }

    /// Whether this key opens the store; if it does, the other key must not open it afterwards.
    private func open(
        _ image: DiskImage, _ key: StoreKey, other: StoreKey, _ configuration: Configuration
    ) throws -> Bool {
        let disk = try SimulatedDisk(image)
        defer { disk.switchOff() }
        var options = configuration.options
        options.creation = .never
        func open(_ key: StoreKey) throws -> Store {
            try Store.open(
                at: Configuration.path, key: key, options: options, storage: SimulatedProcess(disk))
        }
        do {
            let store = try open(key)
            try store.write { try $0.openOrCreateTree(named: "after") }
            try store.close()
        } catch let error as BullaError {
            try demand(error.code == .wrongKey, "refused with \(error)")
            return false
        }
        let refused = refusal { try open(other).close() }
        try demand(refused?.code == .wrongKey, "both keys open the store")
        try open(key).close()
        return true
    }
}
