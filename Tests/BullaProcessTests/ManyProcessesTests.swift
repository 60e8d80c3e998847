import Bulla
import BullaProcessSupport
import BullaTestSupport
import BullaWorker
import Testing

@Suite struct `Eight processes of four threads` {
    private static let workerCount = 8
    private static let durabilities = ["full", "relaxed", "full", "full"]

    @Test(arguments: [StoreKind.gcm, .plain])
    func `lose no update, and read only states that existed`(kind: StoreKind) throws {
        let files = try TestStore(kind)
        let setUp = try files.open()
        try MixLayout.create(in: setUp)
        try setUp.close()

        let totals = try mix(files)

        let store = try files.open()
        try store.read { snapshot in
            let counted = try snapshot.sum(of: MixLayout.counters)
            let owned = try snapshot.digest(of: MixLayout.owned)
            let balance = try snapshot.sum(of: MixLayout.accounts)
            #expect(counted == totals.increments)
            #expect(owned == totals.digest)
            #expect(balance == UInt64(MixLayout.accountCount) * MixLayout.initialBalance)
        }
        try files.expectSound(store)
        try files.expectBounded(store)
    }

    private struct Totals {
        var increments: UInt64 = 0
        var digest = EntryDigest()
    }

    /// Starts all workers at once, and adds up the content that they report.
    private func mix(_ files: TestStore) throws -> Totals {
        let workers = try (0..<Self.workerCount).map { index in
            try files.worker(
                "mix", "worker=\(index)", "threads=4",
                "durability=\(Self.durabilities[index % Self.durabilities.count])",
                "operations=\(TestMode.pick(short: 40, long: 0))",
                "seconds=\(TestMode.pick(short: 0, long: 60))", "cache=4")
        }
        for worker in workers { _ = try worker.values() }
        for worker in workers { worker.begin() }
        var totals = Totals()
        for worker in workers {
            let values = try worker.values()
            _ = try worker.stop()
            totals.increments += try #require(values["increments"])
            totals.digest.add(
                EntryDigest(
                    sum: try #require(values["digest"]), count: Int(try #require(values["entries"]))
                ))
        }
        return totals
    }
}
