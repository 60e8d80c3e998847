import Bulla
import BullaSimulation
import BullaTestSupport
import Testing

/// A commit so large that its first pages are written while later ones are being sealed.
@Suite struct `A commit of many pages` {
    private static let entryCount = 2000

    private static let configurations = [CipherSuite.aes256GCM, nil].map { suite in
        var one = Configuration(suite: suite, pageByteCount: 4096, dirtyPageLimit: 1 << 16)
        one.growsLog = false
        return one
    }

    @Test(arguments: configurations)
    func `whose pages the disk refuses changes nothing, and the next one can be made`(
        configuration: Configuration
    ) throws {
        var count = 0
        while try strike(
            DiskFault(.write, .half(5), after: count, fromOffset: 1 << 16), configuration)
        {
            count += 1
        }
        // Writes must have failed in the middle of sealing, too, not only at its end.
        #expect(count > 3)
    }

    /// If the frame of the killed commit was whole, the store has that commit instead, because the
    /// next opener adopts it.
    @Test(arguments: configurations)
    func `whose writer is killed leaves the commit before, whole`(
        configuration: Configuration
    ) throws {
        var count = 0
        while try strike(
            DiskFault(.write, .kill(isBefore: false), after: count, fromOffset: 1 << 16),
            configuration)
        {
            count += 1
        }
        #expect(count > 3)
    }

    /// Whether there were enough writes for one of them to fail.
    private func strike(_ fault: DiskFault, _ configuration: Configuration) throws -> Bool {
        let disk = try SimulatedDisk()
        let process = SimulatedProcess(disk)
        let store = try configuration.open(process)
        try write("first", to: store)
        let former = try store.info.commit
        disk.add(fault)
        let error = refusal { try write("second", to: store) }
        let isStruck = disk.struckFaultCount > 0
        disk.clearFaults()
        try demand((error != nil) == isStruck, "\(fault) gave \(error as Any)")
        if process.isDead {
            let other = try configuration.open(SimulatedProcess(disk))
            try check(try other.info.commit == former ? "first" : "second", other)
            try write("third", to: other)
            try check("third", other)
            try other.close()
        } else {
            try check(isStruck ? "first" : "second", store)
            try write("third", to: store)
            try check("third", store)
            try store.close()
        }
        return isStruck
    }

    private func write(_ text: String, to store: Store) throws {
        let value = Array(text.utf8) + [UInt8](repeating: 7, count: 900)
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "t")
            for number in 0..<Self.entryCount {
                try change.put(value, forKey: "\(number)", in: tree)
            }
        }
    }

    private func check(_ text: String, _ store: Store) throws {
        try demand(try store.check().isSound, "the store is not sound")
        try store.read { snapshot in
            let tree = try snapshot.tree(named: "t")
            try demand(try snapshot.count(of: tree) == Self.entryCount, "the count")
            for number in 0..<Self.entryCount {
                let value = try snapshot.value(forKey: "\(number)", in: tree)
                try demand(value?.starts(with: text.utf8) == true, "\(number) is not of \(text)")
            }
        }
    }
}
