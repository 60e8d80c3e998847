internal import Bulla

/// Measures sealing and opening single blobs, and saving many entities of which few have changed.
struct VaultCosts {
    private let run: SealingRun
    private let store: Store
    private let vault: Vault

    init(_ run: SealingRun, _ scratch: Scratch) throws {
        self.run = run
        store = try Store.open(at: scratch.file("vault.bulla"))
        vault = try store.createVault(named: "vault", keys: [.random()])
    }

    func rows() throws -> [SealingRow] {
        let tree = try store.write { try $0.createTree(named: "blobs") }
        let place = SealedIdentity(tree: tree, key: "key 000000000001")
        let cleartext = [UInt8](repeating: 7, count: 256)
        let blob = try vault.seal(cleartext, for: place)
        let works: [() throws -> Void] = [
            { _ = try vault.seal(cleartext, for: place) },
            { try vault.open(blob, for: place) { _ in } },
        ]
        let times = try SealingRun.inTurn(
            run.smallRoundCount,
            works.map { work in
                {
                    try SealingRun.processorTime(of: run.recordCount) {
                        for _ in 0..<run.recordCount { try work() }
                    }
                }
            })
        return zip(["seal", "open"], times).map { name, rounds in
            SealingRow("a blob of 256 bytes", name, rounds, unit: .processorNanoseconds)
        } + (try saveRows())
    }

    private func saveRows() throws -> [SealingRow] {
        let collection = SealedCollection<SealingRecord>("some", in: vault)
        var records = try (0..<1_000).map {
            try SealingRecord($0, byteCount: run.recordByteCount)
        }
        var seals: [[Double]] = []
        let save = {
            let before = vault.statistics.sealedCount
            for index in stride(from: 0, to: 1_000, by: 100) { records[index].amount += 1 }
            let time = try SealingRun.time {
                try store.write { transaction in
                    for (index, record) in records.enumerated() {
                        try collection.save(record, forKey: "\(index)", in: &transaction)
                    }
                }
            }
            seals.append([Double(vault.statistics.sealedCount - before)])
            return time
        }
        // The first save does not count, because it has to seal all entities.
        _ = try save()
        seals = []
        let times = try SealingRun.inTurn(run.smallRoundCount, [save])[0]
        let topic = "save of 1000, 10 changed"
        return [
            SealingRow(topic, "seals", seals, unit: .count, aim: (.count, 10)),
            SealingRow(topic, "time, with a durable commit", times),
        ]
    }
}
