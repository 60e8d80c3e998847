/// What a contender did in one shape in one round.
package struct CommitSample: Codable, Sendable {
    package let perSecond: Double
    package let flushesPerCommit: Double
}

/// All rounds of a ``CommitRun``.
package struct CommitResult: Codable, Sendable {
    /// The samples of a contender in a shape, one for each round.
    package struct Row: Codable, Sendable {
        package let contender: CommitContender
        package let shape: CommitShape
        package fileprivate(set) var samples: [CommitSample]
    }

    package let isEncrypted: Bool
    package private(set) var rows: [Row] = []
    package var noise: MachineNoise?

    init(isEncrypted: Bool) { self.isEncrypted = isEncrypted }

    mutating func add(
        _ sample: CommitSample, _ contender: CommitContender, _ shape: CommitShape
    ) {
        let isRow = { (row: Row) in row.contender == contender && row.shape == shape }
        if let index = rows.firstIndex(where: isRow) {
            rows[index].samples.append(sample)
        } else {
            rows.append(Row(contender: contender, shape: shape, samples: [sample]))
        }
    }

    /// How often a row commits for each commit of one writer in the same round, ascending.
    ///
    /// A round in which the one writer made no commit in the measured time says nothing, and is
    /// left out.
    package func ratios(_ row: Row) -> [Double] {
        let base = rows.first { $0.contender == row.contender.base && $0.shape == .one }
        return zip(row.samples, base?.samples ?? []).filter { $1.perSecond > 0 }
            .map { $0.perSecond / $1.perSecond }.sorted()
    }

    /// The table, and what has to be said about it.
    package var lines: [String] {
        var table = TextTable(
            header: ["", "writers", "commits/s", "x one", "from", "to", "flushes/commit"],
            leftColumnCount: 2)
        for row in rows { table.append(cells(row)) }
        let title = "durable commits, the store \(isEncrypted ? "encrypted" : "plain"):"
        return [title] + table.lines + (noise?.warning.map { [$0] } ?? [])
    }

    private func cells(_ row: Row) -> [String] {
        let ratios = ratios(row)
        let rate = row.samples.map(\.perSecond).median ?? 0
        let flushes = row.samples.map(\.flushesPerCommit).median ?? 0
        let shown = [ratios.median, ratios.first, ratios.last]
        return ["\(row.contender)", "\(row.shape)", Format.count(rate)]
            + shown.map { $0.map { Format.fixed($0, 2) } ?? "-" } + [Format.fixed(flushes, 3)]
    }
}
