import Bulla
import BullaSimulation
import BullaTestSupport
import Foundation
import Synchronization
import Testing

/// A disk that refuses a write during a part of a transaction costs only that part.
@Suite struct `A savepoint over a disk that refuses` {
    private static let tree = Bench.tree

    private struct Bench {
        static let tree = "t"

        let disk: SimulatedDisk
        let store: Store
        var expected: [String: [UInt8]] = [:]

        init() throws {
            disk = try SimulatedDisk()
            store = try Configuration.ofFixedLog.open(SimulatedProcess(disk))
        }

        mutating func put(
            _ change: inout WriteTransaction, _ mark: String, count: Int
        ) throws {
            let tree = try change.openOrCreateTree(named: Self.tree)
            for number in 0..<count {
                let (key, value) = ("\(number) \(mark)", [UInt8](repeating: 7, count: 300))
                try change.put(value, forKey: key, in: tree)
                expected[key] = value
            }
        }

        /// Makes the tree, and frees the pages of a value of this many bytes.
        func makeRoom(byteCount: Int) throws {
            try store.write { change in
                let tree = try change.openOrCreateTree(named: Self.tree)
                try change.put([UInt8](repeating: 1, count: byteCount), forKey: "room", in: tree)
            }
            try store.write { change in
                let tree = try change.openOrCreateTree(named: Self.tree)
                try change.delete("room", in: tree)
            }
            try store.takeOverLog()
        }

        func compare() throws {
            try demand(try store.check().isSound, "the store is not sound")
            try store.read(visibility: .published) { snapshot in
                let tree = try snapshot.tree(named: Self.tree)
                try demand(try snapshot.count(of: tree) == expected.count, "the count")
                for (key, value) in expected {
                    try demand(
                        try snapshot.value(forKey: key, in: tree) == value, "the value of \(key)")
                }
            }
        }
    }

    /// Makes a write fail in a part so large that its pages are sealed before the commit; returns
    /// whether a write has failed.
    private func strike(_ fault: DiskFault, isSwallowed: Bool) throws -> Bool {
        var bench = try Bench()
        try bench.store.write { change in
            try bench.put(&change, "before", count: 8)
            let (struck, former) = (bench.disk.struckFaultCount, bench.expected)
            bench.disk.add(fault)
            let error = refusal {
                try change.withSavepoint { change in
                    var part = bench
                    if isSwallowed {
                        try? part.put(&change, "in it", count: 400)
                    } else {
                        try part.put(&change, "in it", count: 400)
                    }
                    bench.expected = part.expected
                }
            }
            bench.disk.clearFaults()
            if error != nil { bench.expected = former }
            let isStruck = bench.disk.struckFaultCount > struck
            // If a change fails before it has written anything, the part need not fail with it.
            let isTold = isSwallowed ? error == nil || isStruck : (error != nil) == isStruck
            try demand(isTold, "\(fault) gave \(error as Any)")
            try bench.put(&change, "after", count: 120)
        }
        try bench.compare()
        try bench.store.close()
        return bench.disk.struckFaultCount > 0
    }

    @Test(arguments: [false, true])
    func `is undone, and the rest of the transaction stands`(isSwallowed: Bool) throws {
        var count = 0
        // Spare the meta pages: a failed write of one of them is another matter.
        while try strike(
            DiskFault(.write, .error(5), after: count, fromOffset: 1 << 16),
            isSwallowed: isSwallowed)
        {
            count += 1
        }
        #expect(count > 3)
    }

    /// If the disk has refused a part of a value, later writes cannot repair that.
    @Test(arguments: [0, 1, 5])
    func `refuses a stream of which a part could not be written, though it went on`(
        laterCount: Int
    ) throws {
        var bench = try Bench()
        try bench.store.write { change in
            try bench.put(&change, "before", count: 8)
            let tree = try change.tree(named: Self.tree)
            let part = [UInt8](repeating: 1, count: 300_000)
            let error = refusal {
                try change.withSavepoint { change in
                    try change.putStream(forKey: "large", in: tree) { write in
                        bench.disk.add(DiskFault(.write, .error(5), fromOffset: 1 << 16))
                        try? part.withBytes { try write($0) }
                        bench.disk.clearFaults()
                        for _ in 0..<laterCount { try? [UInt8](1...9).withBytes { try write($0) } }
                    }
                }
            }
            #expect(error?.code == .io)
            try bench.put(&change, "after", count: 8)
        }
        try bench.compare()
        try bench.store.close()
    }

    /// Two changes share a commit, and the disk refuses a write of the first, which ignores the
    /// error.
    ///
    /// The refused write comes while a large value is put, or, if the value is smaller, when the
    /// change ends.
    @Test(arguments: [(1_300_000, BullaError.Code.invalidArgument), (100_000, .io)])
    func `leaves the other changes of a group alone`(
        byteCount: Int, code: BullaError.Code
    ) throws {
        let bench = try Bench()
        try bench.makeRoom(byteCount: 2 * byteCount)
        let held = try bench.store.beginWrite()
        let before = try bench.store.info.commit
        let group = DispatchGroup()
        let large = [UInt8](repeating: 1, count: byteCount)
        let errors = Mutex<[BullaError?]>([nil, nil])
        for index in 0..<2 {
            group.enter()
            Thread.detachNewThread {
                let error = refusal {
                    try bench.store.groupWrite { change in
                        let tree = try change.tree(named: Self.tree)
                        guard index == 0 else {
                            bench.disk.clearFaults()
                            return try change.put("v", forKey: "b", in: tree)
                        }
                        bench.disk.add(DiskFault(.write, .error(5), fromOffset: 1 << 16))
                        try? change.put(large, forKey: "a", in: tree)
                    }
                }
                errors.withLock { $0[index] = error }
                group.leave()
            }
            while bench.store.group.lineCount <= index { Thread.sleep(forTimeInterval: 0.001) }
        }
        _ = consume held
        group.wait()
        #expect(errors.withLock { $0[0]?.code } == code)
        #expect(errors.withLock { $0[1] == nil })
        #expect(try bench.store.info.commit == before + 1)
        let names = try bench.store.read { snapshot in
            try snapshot.count(of: try snapshot.tree(named: Self.tree))
        }
        #expect(names == 1)
    }
}
