import Bulla
import BullaSimulation
import Synchronization

/// Failed write-backs, and the processes to which the kernel reports them.
extension Session {
    /// The way in which a write-back fails.
    enum WriteBackFailure: CaseIterable {
        /// A commit's flush fails.
        case leading
        /// Like `leading`, but an outsider overwrites the word that tells all processes.
        case scribbled
        /// A writer's flush for a growth of the file fails, and another thread of the writer's
        /// process leads a flush before the writer learns of the failure.
        case overlapping
        /// The same flush fails, and the process dies before it learns of that; then another
        /// process opens the store.
        case dying
        /// The kernel's own write-back fails, while nobody flushes.
        case unseen
    }

    /// Makes a write-back fail: no process may go on before all that had the store open have closed
    /// it.
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

    /// The commit published before the failure must not be called durable, because a part of it was
    /// in the failed write-back.
    private mutating func failOverlapping() throws {
        try transaction(0, Self.relaxed)
        let (store, commit) = (opened[0].store, current.commit)
        let result = SharedFlag()
        let process = SimulatedProcess(disk)
        disk.whenFlushFails {
            // If it is a leader's flush that fails, others must wait for it.
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

    /// A process that opened after the kernel's report must not trust its own flush.
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
        // The other process had the store open before, and gets the error.
        var next = current
        next.commit += 1
        // Use a new name, because opening an existing tree would be no change, and need no flush.
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
        // At most a checkpoint's thread has seen the error. So a process that opens the store now
        // gets the error, too.
        var error = opened.count < 2 ? refusal { try open() } : nil
        // Repeat, because a transaction that rolls back or changes nothing needs no flush of its
        // own.
        for _ in 0..<100 where error == nil {
            error = refusal { try transaction(opened.count - 1, .full) }
        }
        try demand(
            error?.code == .io || error?.code == .poisoned,
            "a write-back that failed was told as \(error as Any)")
        try leaveAndComeBack()
    }

    /// Makes the file grow in a transaction that is rolled back.
    private mutating func growWithoutCommit() throws {
        var change = try opened[0].store.beginWrite(durability: Self.relaxed)
        let count = 400 * configuration.pageByteCount
        try change.put(
            [UInt8](repeating: 7, count: count), forKey: "large",
            in: try change.openOrCreateTree(named: "growth"))
    }

    /// Has all processes close the store, and one open it again.
    mutating func leaveAndComeBack() throws {
        while let one = opened.popLast() {
            try one.endSnapshot()
            try? one.store.close()
        }
        try open()
    }

    /// Overwrites the word of the coordination file that says that a flush has failed.
    func scribbleOverPoison() throws {
        try disk.overwrite(
            Configuration.path + ".bulla-world", with: [UInt8](repeating: 0, count: 8), at: 256)
    }
}

/// A flag that closures on any thread can set and read.
private final class SharedFlag: Sendable {
    private let flag = Atomic(false)
    var isSet: Bool { flag.load(ordering: .acquiring) }
    func set(_ value: Bool) { flag.store(value, ordering: .releasing) }
}
