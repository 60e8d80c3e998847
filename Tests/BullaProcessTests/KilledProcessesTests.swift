import Bulla
import BullaProcessSupport
import BullaTestSupport
import BullaWorker
import Testing

@Suite struct `Killed processes` {
    private static let workerCount = 8
    private static let killedCount = 3
    private static let rounds = TestMode.pick(short: 3, long: 30)
    /// How many acknowledgements of each worker a round waits for.
    private static let roundLength = 20

    /// Workers that increment counters, and the greatest acknowledged value of each counter.
    private struct Crew {
        let files: TestStore
        var workers: [WorkerProcess] = []
        var acknowledged: [String: UInt64] = [:]
        private var started = 0

        init(_ files: TestStore) { self.files = files }

        mutating func fill(to count: Int) throws {
            while workers.count < count {
                workers.append(
                    try files.worker("increment", "worker=\(started)", "threads=2", "cache=4"))
                started += 1
            }
        }

        /// Waits until every worker has reported this many more acknowledged increments.
        mutating func goOn(_ count: Int) throws {
            for worker in workers {
                for _ in 0..<count { note(try #require(try worker.line())) }
            }
        }

        mutating func kill(_ count: Int) throws {
            for _ in 0..<count {
                for line in try workers.removeFirst().kill() { note(line) }
            }
        }

        mutating func stop() throws {
            for worker in workers {
                for line in try worker.stop() { note(line) }
            }
            workers = []
        }

        private mutating func note(_ line: String) {
            guard let (name, value) = try? WorkerProcess.parse(line) else {
                Issue.record("a worker said what is no acknowledgment")
                return
            }
            acknowledged[name] = max(acknowledged[name] ?? 0, value)
        }
    }

    @Test(arguments: [StoreKind.gcm, .plain])
    func `leave what was acknowledged, and the others go on`(kind: StoreKind) throws {
        let files = try TestStore(kind)
        try setUp(files)
        var crew = Crew(files)
        for _ in 0..<Self.rounds {
            try crew.fill(to: Self.workerCount)
            try crew.goOn(Self.roundLength)
            try crew.kill(Self.killedCount)
            try crew.goOn(Self.roundLength)
        }
        try crew.stop()
        try expectAll(crew.acknowledged, files)
    }

    @Test func `leave what was acknowledged when none survives`() throws {
        let files = try TestStore(.gcm)
        try setUp(files)
        var crew = Crew(files)
        for _ in 0..<Self.rounds {
            try crew.fill(to: Self.workerCount)
            try crew.goOn(Self.roundLength)
            try crew.kill(Self.workerCount)
            try expectAll(crew.acknowledged, files)
        }
    }

    private func setUp(_ files: TestStore) throws {
        let store = try files.open()
        try store.write { try $0.openOrCreateTree(named: IncrementLayout.tree) }
        try store.close()
    }

    /// Expects that every acknowledged increment is there, and at most one more of each thread.
    private func expectAll(_ acknowledged: [String: UInt64], _ files: TestStore) throws {
        let store = try files.open()
        try files.expectSound(store)
        try store.read { snapshot in
            let tree = try snapshot.tree(named: IncrementLayout.tree)
            for (counter, value) in acknowledged {
                let found = try snapshot.number(counter, in: tree)
                #expect(found == value || found == value + 1, "\(counter)")
            }
            let total = try snapshot.number(IncrementLayout.total, in: tree)
            #expect(try snapshot.sum(of: IncrementLayout.tree) == 2 * total)
        }
        try files.expectBounded(store)
        try store.close()
    }

    @Test func `do not hold back space with the snapshots they had`() throws {
        let files = try TestStore(.gcm)
        let store = try files.open()
        // Some pages were freed recently, and have not been reclaimed yet. Beside the pages of this
        // many records, they matter little.
        let records = Records(count: 20_000)
        try records.write(to: store, version: 0, durability: .full)
        let holder = try files.worker("hold", "tree=\(Records.tree)")
        _ = try holder.values()

        try records.write(to: store, version: 1)
        for version in 2..<62 {
            try records.touch(store, version: version)
            try store.takeOverLog()
        }
        let (heldBack, pageByteCount) = try (store.info.pendingPageCount, store.info.pageByteCount)
        #expect(Int(heldBack) * pageByteCount >= records.count * Records.valueByteCount)

        _ = try holder.kill()
        for version in 62..<122 {
            try records.touch(store, version: version)
            try store.takeOverLog()
        }
        #expect(try store.info.pendingPageCount < heldBack / 4)
        try files.expectSound(store)
    }
}
