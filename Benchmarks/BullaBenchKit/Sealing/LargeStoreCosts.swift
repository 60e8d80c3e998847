internal import Bulla
internal import BullaText
internal import Synchronization

/// Measures changes to the key slots of a large store, and its re-encryption, alone and while
/// another process commits to it.
struct LargeStoreCosts {
    private let run: SealingRun
    private let scratch: Scratch
    private let keyText: String
    private let key: StoreKey
    private let store: Store

    init(_ run: SealingRun, _ scratch: Scratch) throws {
        (self.run, self.scratch) = (run, scratch)
        keyText = try RunKey.random()
        try CommitStage.prepare(scratch.path, key: keyText)
        key = try StoreKey(try RunKey.bytes(keyText, of: scratch.path) ?? [])
        store = try Store.open(at: CommitStage.store(scratch.path), key: key)
    }

    func rows(_ tell: (String) -> Void) throws -> [SealingRow] {
        tell("a store of \(Format.bytes(run.largeByteCount)): filling it")
        try fill()
        tell("its slots; re-encrypting it and compacting it, in turn")
        let rows = try slotRows() + wholeRows()
        tell("commits beside re-encryption")
        return try rows + commitRows()
    }

    private func fill() throws {
        var random = Random(seed: 2)
        let bytes = (0..<1 << 20).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        var number = 0
        while try store.info.fileByteCount < run.largeByteCount {
            try Interruption.shared.check()
            try store.write { transaction in
                let tree = try transaction.openOrCreateTree(named: "bulk")
                for _ in 0..<min(run.largeByteCount >> 12, 8_000) {
                    let start = random.below(bytes.count - 1_000)
                    let key = Format.padLeft("\(number)", 12, "0")
                    try transaction.put(bytes[start..<start + 1_000], forKey: key, in: tree)
                    number += 1
                }
            }
        }
    }

    private func slotRows() throws -> [SealingRow] {
        let other = try StoreKey.random()
        var (slot, changeCount) = (0, 0)
        let steps: [(name: String, run: () throws -> Void)] = [
            ("add a slot", { slot = try store.addSlot(for: .random()) }),
            ("change a slot", { try store.changeSlot(slot, to: .random()) }),
            ("remove a slot", { try store.removeSlot(slot) }),
            // This step runs an even number of times, so the store has its old key at the end.
            (
                "change the key",
                {
                    changeCount += 1
                    try store.changeKey(to: changeCount % 2 == 1 ? other : key)
                }
            ),
        ]
        var written = steps.map { _ in [[Double]]() }
        var times = written
        for _ in 0..<run.smallRoundCount {
            for (index, step) in steps.enumerated() {
                let before = EngineCounters.writtenByProcess ?? 0
                times[index].append([try SealingRun.time { try step.run() }])
                written[index].append([Double((EngineCounters.writtenByProcess ?? 0) - before)])
            }
        }
        return steps.indices.flatMap { index in
            [
                SealingRow(steps[index].name, "time", times[index], aim: (.figure, 50e6)),
                SealingRow(steps[index].name, "written", written[index], unit: .bytes),
            ]
        }
    }

    private func wholeRows() throws -> [SealingRow] {
        let copy = scratch.file("copy.bulla")
        let works: [() throws -> Double] = Self.paces.map { pace in
            {
                guard let pace else {
                    defer { Folder.removeFile(copy) }
                    return try SealingRun.time { try store.compact(to: copy, key: key) }
                }
                return try SealingRun.time { try store.reencrypt(keys: [key], pace: pace) }
            }
        }
        let times = try SealingRun.inTurn(run.roundCount, works)
        return rows("the whole store", "compact", "reencrypt", times)
    }

    /// The paces of re-encryption: nil stands for the base, without re-encryption; the last is the
    /// default, and the only pace that has to meet an aim.
    private static let paces: [Double?] = [nil, 1, 0.5]

    private func rows(
        _ topic: String, _ base: String, _ name: String, _ times: [[[Double]]]
    ) -> [SealingRow] {
        zip(Self.paces, times).map { pace, rounds in
            SealingRow(
                topic, pace.map { "\(name), pace \(Format.fixed($0, 1))" } ?? base, rounds,
                over: pace.map { _ in times[0] }, aim: pace == Self.paces.last ? (.ratio, 2) : nil)
        }
    }

    private func commitRows() throws -> [SealingRow] {
        let times = try SealingRun.inTurn(
            run.roundCount, Self.paces.map { pace in { try commitTime(beside: pace) } })
        return rows("a small durable commit", "alone", "beside reencrypt", times)
    }

    /// Nanoseconds per commit of another process while this one re-encrypts again and again.
    private func commitTime(beside pace: Double?) throws -> Double {
        guard let pace else { return try commitTime() }
        let isOver = Flag()
        let (store, key) = (store, key)
        let ended = Station { store }.ask { store in
            while !isOver.value.load(ordering: .relaxed) {
                do throws(BullaError) {
                    try store.reencrypt(keys: [key], pace: pace) { _ throws(BullaError) in
                        guard isOver.value.load(ordering: .relaxed) else { return }
                        throw BullaError(.cancelled, "re-encrypt: the measurement is over")
                    }
                } catch {
                    guard error.code == .cancelled else { throw error }
                }
            }
        }
        let time = Result { try commitTime() }
        isOver.value.store(true, ordering: .relaxed)
        try ended.take().get()
        try store.resumeReencryption()
        return try time.get()
    }

    private func commitTime() throws -> Double {
        var commits = CommitRun(program: run.program, directory: scratch.path)
        commits.measuredNanoseconds = run.commitNanoseconds
        let crew = CommitCrew(
            run: commits, contender: .write, shape: .one, scratch: scratch, key: keyText)
        return Double(run.commitNanoseconds) / Double(max(try crew.commit(Clock.now).measured, 1))
    }

    private final class Flag: Sendable {
        let value = Atomic(false)
    }
}
