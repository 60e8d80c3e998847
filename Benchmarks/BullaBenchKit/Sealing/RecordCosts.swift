internal import Bulla

/// The same records in five forms, measured in turn.
struct RecordCosts {
    private let run: SealingRun
    private let sides: [RecordSide]

    init(_ run: SealingRun, _ scratch: Scratch) throws {
        self.run = run
        let records = try (0..<run.recordCount).map {
            try SealingRecord($0, byteCount: run.recordByteCount)
        }
        sides = try RecordForm.allCases.map { try RecordSide($0, records, in: scratch) }
    }

    func rows() throws -> [SealingRow] {
        let saves = try samples(.save)
        // Measures fetches and opens in turn, because a row shows how much longer an open takes.
        let both = try samples(.fetch, .open)
        let (fetches, opens) = (Array(both[..<sides.count]), Array(both[sides.count...]))
        let before = openedCount
        let lists = try samples(.list)
        let keeps = try samples(.keep)
        let opened = Double(openedCount - before)
        var rows = forms(.save, saves) + forms(.fetch, fetches) + forms(.open, opens)
        rows += forms(.list, lists) + forms(.keep, keeps)
        rows.append(SealingRow("list", "opened", [[opened]], unit: .count, aim: (.count, 0)))
        for (index, form) in RecordForm.allCases.enumerated() {
            let aim = form == .entitySealed ? (SealingRow.Aim.figure, 2_000.0) : nil
            let bases = [("open, beyond fetch", opens[index], fetches[index])]
            let saved = ("save, beyond plain", saves[index], saves[0])
            for (topic, rounds, base) in bases + (form == .plain ? [] : [saved]) {
                rows.append(
                    SealingRow(
                        topic, form.rawValue, rounds, unit: .processorNanoseconds, over: base,
                        isBeyond: true, aim: aim))
            }
        }
        return rows
    }

    private var openedCount: Int { sides.reduce(0) { $0 + $1.openedCount } }

    private func samples(_ works: RecordWork...) throws -> [[[Double]]] {
        var random = Random(seed: 1)
        let order = random.permutation(run.recordCount)
        let all = works.flatMap { work in sides.map { side in { try side.time(work, order) } } }
        for work in all { _ = try work() }
        return try SealingRun.inTurn(run.smallRoundCount, all)
    }

    private func forms(_ work: RecordWork, _ samples: [[[Double]]]) -> [SealingRow] {
        zip(sides, samples).map { side, rounds in
            SealingRow(
                "\(work)", side.form.rawValue, rounds, unit: .processorNanoseconds,
                over: side.form == .plain ? nil : samples[0],
                aim: work == .list && side.form == .entitySealed ? (.ratio, 1.1) : nil)
        }
    }
}
