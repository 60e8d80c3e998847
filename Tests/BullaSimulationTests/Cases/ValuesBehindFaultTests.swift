import Bulla
import BullaSimulation
import BullaTestSupport
import Testing

/// The disk refuses a background write of a large value long after the value was put.
@Suite struct `A write behind a large value that the disk refuses` {
    private static let configurations = [CipherSuite.aes256GCM, nil].map { suite in
        var one = Configuration(suite: suite, pageByteCount: 4096, dirtyPageLimit: 1 << 16)
        one.growsLog = false
        return one
    }

    private static let value = [UInt8](repeating: 7, count: 700_000)

    private struct Bench {
        let disk: SimulatedDisk
        let store: Store

        /// Makes enough room in the file for what follows, so that the refused write is that of a
        /// page.
        init(_ configuration: Configuration) throws {
            disk = try SimulatedDisk()
            store = try configuration.open(SimulatedProcess(disk))
            for key in ["room", "more room"] {
                try store.write { change in
                    let tree = try change.openOrCreateTree(named: "t")
                    for part in 0..<4 {
                        try change.put(value, forKey: "\(key) \(part)", in: tree)
                    }
                }
            }
            try store.write { change in
                let tree = try change.tree(named: "t")
                for key in ["room", "more room"] {
                    for part in 0..<4 { try change.delete("\(key) \(part)", in: tree) }
                }
            }
            for _ in 0..<3 {
                try store.write { try $0.put("1", forKey: "small", in: try $0.tree(named: "t")) }
            }
        }

        func expectKeys(_ keys: [String]) throws {
            #expect(try store.check().isSound)
            try store.read(visibility: .published) { snapshot in
                let tree = try snapshot.tree(named: "t")
                #expect(try snapshot.count(of: tree) == keys.count + 1)
                for key in keys {
                    #expect(try snapshot.value(forKey: key, in: tree) == value)
                }
            }
        }
    }

    /// Puts "a", "b" and "c", and returns those whose put succeeded.
    private typealias Body = (inout WriteTransaction, Tree) throws -> [String]

    /// Runs a transaction once for each of its writes, and has the disk refuse that write.
    private func forEachWrite(
        _ configuration: Configuration, _ effect: DiskFault.Effect, _ body: Body
    ) throws {
        var (count, isStruck) = (0, true)
        while isStruck {
            let bench = try Bench(configuration)
            bench.disk.add(DiskFault(.write, effect, after: count, fromOffset: 1 << 16))
            var put: [String] = []
            let error = refusal {
                try bench.store.write { change in
                    put = try body(&change, try change.tree(named: "t"))
                }
            }
            isStruck = bench.disk.struckFaultCount > 0
            bench.disk.clearFaults()
            // If a put fails before it has written anything, the transaction need not fail with it.
            let isWhole = put.count == 3
            let isTold = error == nil ? isStruck != isWhole : isStruck
            #expect(isTold, "write \(count) gave \(error as Any)")
            try bench.expectKeys(error == nil ? put : [])
            try bench.store.write { change in
                let tree = try change.tree(named: "t")
                for key in ["a", "b", "c"] { try change.put(Self.value, forKey: key, in: tree) }
            }
            try bench.expectKeys(["a", "b", "c"])
            try bench.store.close()
            count += 1
        }
        #expect(count > 4)
    }

    @Test(arguments: configurations)
    func `fails the transaction at its commit at the latest`(configuration: Configuration) throws {
        try forEachWrite(configuration, .error(5)) { change, tree in
            for key in ["a", "b", "c"] { try change.put(Self.value, forKey: key, in: tree) }
            return ["a", "b", "c"]
        }
    }

    @Test(arguments: configurations)
    func `fails a transaction that takes no notice`(configuration: Configuration) throws {
        try forEachWrite(configuration, .half(5)) { change, tree in
            let put = ["a", "b", "c"].filter { key in
                refusal { try change.put(Self.value, forKey: key, in: tree) } == nil
            }
            _ = try? change.value(forKey: "c", in: tree)
            return put
        }
    }

    /// The disk recovers before the savepoint ends, but the refused write is missing.
    @Test(arguments: configurations)
    func `fails the savepoint that wrote it, and no other`(configuration: Configuration) throws {
        var (count, isStruck) = (0, true)
        while isStruck {
            let bench = try Bench(configuration)
            try bench.store.write { change in
                let tree = try change.tree(named: "t")
                try change.put(Self.value, forKey: "a", in: tree)
                let error = refusal {
                    try change.withSavepoint { change in
                        bench.disk.add(
                            DiskFault(.write, .error(5), after: count, fromOffset: 1 << 16))
                        try change.put(Self.value, forKey: "x", in: tree)
                        try change.put(Self.value, forKey: "y", in: tree)
                        for key in ["x", "y"] { try change.delete(key, in: tree) }
                    }
                }
                isStruck = bench.disk.struckFaultCount > 0
                bench.disk.clearFaults()
                #expect((error != nil) == isStruck, "write \(count) gave \(error as Any)")
                if isStruck { #expect(error?.code == .io) }
                for key in ["b", "c"] { try change.put(Self.value, forKey: key, in: tree) }
            }
            try bench.expectKeys(["a", "b", "c"])
            try bench.store.close()
            count += 1
        }
        #expect(count > 2)
    }
}
