/// One row of all parts, put together.
struct RowMerge {
    /// Nil where a part lacks it: the sum of the others would be no throughput of the whole.
    let row: ResultRow?
    /// What was left out, with the reason.
    let skipped: [String]

    /// All rows, in the order of the first part, then those that only others have.
    static func all(of repeats: [MergeRepeat], settings: RunSettings) -> [RowMerge] {
        var keys: [Key] = []
        for row in repeats.flatMap(\.parts).flatMap(\.result.rows) where !keys.contains(Key(row)) {
            keys.append(Key(row))
        }
        return keys.map { RowMerge($0, repeats, settings) }
    }

    private init(_ key: Key, _ repeats: [MergeRepeat], _ settings: RunSettings) {
        let lacking = repeats.flatMap(\.parts).filter { part in
            !part.result.rows.contains { Key($0) == key }
        }
        guard lacking.isEmpty else {
            row = nil
            skipped = lacking.map { "\(key.text): not in \($0.name), \($0.place)" }
            return
        }
        let groups = repeats.map { turn in
            turn.parts.compactMap { part in part.result.rows.first { Key($0) == key } }
        }
        // Rates of some shards are no rates of the whole, where there are whole ones.
        let whole = zip(repeats, groups).filter(\.0.isComplete).map(\.1)
        let merge = GroupMerge(groups, rated: whole.isEmpty ? groups : whole, settings)
        row = merge.row
        skipped = merge.skipped.map { "\(key.text): \($0)" }
    }

    /// What the parts of one row have in common.
    private struct Key: Equatable {
        let input: String
        let workload: String
        let unit: String
        let step: String
        let regime: Regime

        init(_ row: ResultRow) {
            input = row.input
            workload = row.workload
            unit = row.unit
            step = row.step
            regime = row.regime
        }

        var text: String { "\(workload) on \(input) (\(regime.text))" }
    }
}
