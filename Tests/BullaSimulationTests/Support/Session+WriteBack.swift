import Bulla
import BullaSimulation
import Synchronization

/// Write-backs that fail, and whom the kernel tells.
extension Session {
    /// What is done with the flush that fails.
    enum WriteBackFailure: CaseIterable {
        /// A commit's flush fails.
        case leading
        /// The same, and a stranger writes over the word that says so to all.
        case scribbled
        /// The flush that a writer makes for growth fails, and another thread of its process leads
        /// a flush before the writer knows.
        case overlapping
        /// The same flush fails, and its process dies before it knows; another one comes then.
        case dying
        /// The kernel's own write-back fails, while nobody flushes.
        case unseen
    }

    /// Lets a write-back fail: nobody goes on before all have closed the store, who had it open.
    mutating func fail(_ failure: WriteBackFailure) throws {
        note("fail a write-back: \(failure)")
        switch failure {
        case .leading: try failFlush()
        case .scribbled: try failFlush(isScribbled: true)
        case .overlapping: try failOverlapping()
        case .dying: try failDying()
        case .unseen: try failUnseen()
        }
    }

    static let relaxed = Durability.relaxed(within: .seconds(20))

    /// The commit that was published before must not be called durable: a part of it went with the
    /// write-back that failed.
    private mutating func failOverlapping() throws {
        try transaction(0, Self.relaxed)
        let (store, commit) = (opened[0].store, current.commit)
        let result = SharedFlag()
        let process = SimulatedProcess(disk)
        disk.whenFlushFails {
            // A leader's own flush holds up others.
            guard let file = try? process.open(Configuration.path, .writing),
                (try? file.isLocked(LockByte.flush, against: .exclusive)) == false
            else { return }
            result.set((try? store.waitUntilDurable(commit)) != nil)
        }
        disk.add(DiskFault(.flush, .error(5)))
        let struckCount = disk.struckFaultCount
        let error = refusal { try growWithoutCommit() }
        disk.clearFaults()
        if result.isSet { timeline.acknowledge(at: disk.eventCount) }
        guard disk.struckFaultCount > struckCount else { return }
        try demand(error != nil, "a growth whose flush failed went on")
        try expectPoison()
        try leaveAndComeBack()
    }

    /// Who came after the kernel had told somebody must not believe its own flush.
    private mutating func failDying() throws {
        while opened.count < 2 { try open() }
        try transaction(0, Self.relaxed)
        disk.add(DiskFault(.flush, .failAndKill))
        let struckCount = disk.struckFaultCount
        _ = refusal { try growWithoutCommit() }
        disk.clearFaults()
        guard disk.struckFaultCount > struckCount else { return }
        try mourn(0)
        try open()
        try opened[opened.count - 1].store.waitUntilDurable(current.commit)
        timeline.acknowledge(at: disk.eventCount)
        // The other one was there before, and is told.
        var next = current
        next.commit += 1
        // A name of its own: a tree that is there already would be no change, and need no flush.
        let tree = "told \(next.commit)"
        next.trees[Array(tree.utf8)] = [:]
        timeline.begin(next, at: disk.eventCount)
        let error = refusal {
            try opened[0].store.write { _ = try $0.openOrCreateTree(named: tree) }
        }
        try demand(
            error?.code == .io || error?.code == .poisoned,
            "a flush after a write-back that failed gave \(error as Any)")
        try leaveAndComeBack()
    }

    private mutating func failUnseen() throws {
        try transaction(0, Self.relaxed)
        disk.failWriteBack(of: Configuration.path)
        // Who comes now is told as well: nobody has seen it, but for the thread of a checkpoint.
        var error = opened.count < 2 ? refusal { try open() } : nil
        // A transaction that was dropped, or changed nothing, needs no flush of its own.
        for _ in 0..<100 where error == nil {
            error = refusal { try transaction(opened.count - 1, .full) }
        }
        try demand(
            error?.code == .io || error?.code == .poisoned,
            "a write-back that failed was told as \(error as Any)")
        try leaveAndComeBack()
    }

    /// Makes the file grow in a transaction that comes to nothing.
    private mutating func growWithoutCommit() throws {
        var change = try opened[0].store.beginWrite(durability: Self.relaxed)
        let count = 400 * configuration.pageByteCount
        try change.put(
            [UInt8](repeating: 7, count: count), forKey: "large",
            in: try change.openOrCreateTree(named: "growth"))
    }

    /// Everybody closes the store, and one opens it again.
    mutating func leaveAndComeBack() throws {
        while let one = opened.popLast() {
            try one.endSnapshot()
            try? one.store.close()
        }
        try open()
    }

    /// Writes over the word of the coordination file that says that a flush has failed.
    func scribbleOverPoison() throws {
        try disk.overwrite(
            Configuration.path + ".bulla-world", with: [UInt8](repeating: 0, count: 8), at: 256)
    }
}

/// Whether something has come about, for closures on whatever thread.
private final class SharedFlag: Sendable {
    private let flag = Atomic(false)
    var isSet: Bool { flag.load(ordering: .acquiring) }
    func set(_ value: Bool) { flag.store(value, ordering: .releasing) }
}
