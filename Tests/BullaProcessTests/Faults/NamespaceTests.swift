import Bulla
import BullaProcessSupport
import BullaTestSupport
import BullaWorker
import Testing

@Suite struct `Processes with one number in different namespaces` {
    private let records = Records(count: 2000)

    @Test(.enabled(if: Privilege.namespaces, "process and time namespaces are not permitted"))
    func `23. are told apart: the living keeps its snapshot, the dead one's is reaped`() throws {
        let files = try TestStore(.gcm)
        // Make each change reclaim the freed pages that it can, without waiting for more.
        let store = try files.open { $0.reclaimInterval = 0 }
        try records.write(to: store, version: 0, durability: .full)
        let first = try holder(files)
        try records.write(to: store, version: 1, durability: .full)
        let second = try holder(files)
        #expect(first.values["process"] == 1)
        #expect(second.values["process"] == 1)

        // Neither process counts as dead while both live, however much is written.
        try overwrite(store, 2...20)
        let heldBack = try store.info.pendingPageCount
        _ = try first.worker.kill()
        try overwrite(store, 21...40)
        #expect(try store.info.pendingPageCount < heldBack)
        let after = try second.worker.stop()
        #expect(after == ["after=\(records.digest(version: 1).sum)"])
        try files.expectSound(store)
    }

    private func overwrite(_ store: Store, _ versions: ClosedRange<Int>) throws {
        for version in versions {
            try records.write(to: store, version: version, durability: .full)
            try store.takeOverLog()
        }
    }

    @Test(.enabled(if: Privilege.namespaces, "process and time namespaces are not permitted"))
    func `23. lose nothing when they write and one of them is killed`() throws {
        let files = try TestStore(.gcm)
        try files.createTorture()
        let scores = try Scoreboard(files.scoresPath)
        for seed in 1...3 {
            let workers = try [0, 1, 4].map { index in
                try files.torturer(
                    index, seed: seed * 10 + index,
                    launcher: index == 0 ? [] : Privilege.namespaceLauncher)
            }
            for worker in workers { _ = try worker.values() }
            try scores.awaitProgress(of: [0, 1, 4])
            _ = try workers[1].kill()
            try scores.awaitProgress(of: [0, 4])
            for worker in [workers[0], workers[2]] { _ = try worker.stop() }
        }
        try files.expectSurvived(scores)
    }

    private func holder(
        _ files: TestStore
    ) throws -> (worker: WorkerProcess, values: [String: UInt64]) {
        let worker = try files.worker(
            "hold", ["tree=\(Records.tree)"], launcher: Privilege.namespaceLauncher)
        return (worker, try worker.values())
    }
}
