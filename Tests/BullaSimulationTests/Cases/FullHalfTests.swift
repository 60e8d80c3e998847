import Bulla
import BullaSimulation
import BullaTestSupport
import Testing

/// One half of the log is full except for the space of a root frame, while the meta slots name the
/// other half.
@Suite struct `A full half of the log` {
    private static let configurations = [CipherSuite.aes256GCM, nil].map { suite in
        var one = Configuration(suite: suite, pageByteCount: 4096)
        one.growsLog = false
        one.lockTimeout = .milliseconds(10)
        return one
    }

    @Test(arguments: configurations)
    func `takes one direct commit after another once its world has ended`(
        configuration: Configuration
    ) throws {
        let disk = try SimulatedDisk()
        defer { disk.switchOff() }
        let process = SimulatedProcess(disk)
        let store = try configuration.open(process)
        // Another process keeps changing the trees, so there is no checkpoint.
        let other = try SimulatedProcess(disk).open(Configuration.path, .writing)
        #expect(try other.lock(LockByte.tree, .exclusive))
        for byteCount in [2000, 1] {
            var isFull = false
            while !isFull {
                isFull = refusal { try Self.put(byteCount, store) }?.code == .busy
            }
        }
        process.kill()
        #expect(try other.lock(LockByte.tree, .none))
        let next = try configuration.open(SimulatedProcess(disk))
        let commit = try next.info.commit
        for _ in 0..<20 { try Self.put(100_000, next) }
        #expect(try next.info.commit == commit + 20)
        #expect(try next.check().isSound)
        try next.close()
    }

    private static func put(_ byteCount: Int, _ store: Store) throws {
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "t")
            let value = [UInt8](repeating: 7, count: byteCount)
            try change.put(value, forKey: "key", in: tree)
        }
    }
}
