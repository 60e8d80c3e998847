internal import BullaText

/// Compares two results row by row: how the throughput changed from the earlier to the later.
package struct ResultComparison: Sendable {
    package struct Line: Sendable {
        package let row: String
        package let contender: String
        package let before: Double
        package let after: Double
        package let ratio: Interval?
        package let change: Change
    }

    package let lines: [Line]
    /// Rows that only one result has, and circumstances that can cause a change.
    package let warnings: [String]

    package init(before: BenchResult, after: BenchResult, threshold: Double) {
        precondition(threshold > 0 && threshold < 1, "a threshold is a share")
        let old = Self.entries(before)
        let new = Self.entries(after)
        lines = old.compactMap { entry in
            new.first(where: entry.isLike).map { Self.line(entry, $0, threshold) }
        }
        warnings =
            Self.differences(before, after) + Self.missing(old, in: new, "only before: ")
            + Self.missing(new, in: old, "only after: ")
    }

    package var change: Change { Change(all: lines.map(\.change)) }

    package var text: [String] {
        var table = TextTable(
            header: ["row", "contender", "before", "after", "after / before", "95 % interval", ""],
            leftColumnCount: 2)
        for line in lines { table.append(Self.cells(line)) }
        let counts = Change.allCases.map { change in
            "\(lines.count { $0.change == change }) \(change.rawValue)"
        }
        return table.lines + [""] + warnings.map { "warning: \($0)" } + [
            "verdict: \(change.rawValue.uppercased()) (\(counts.joined(separator: ", ")))"
        ]
    }

    /// A contender in a row, for comparison with the same contender in the other result.
    private struct Entry {
        let row: ResultRow
        let figures: Figures

        func isLike(_ other: Entry) -> Bool {
            row.key == other.row.key && figures.contender == other.figures.contender
        }
    }

    private static func entries(_ result: BenchResult) -> [Entry] {
        result.rows.flatMap { row in row.figures.map { Entry(row: row, figures: $0) } }
    }

    private static func line(_ old: Entry, _ new: Entry, _ threshold: Double) -> Line {
        let ratio = Interval(ratesBefore: old.figures.rates, after: new.figures.rates)
        let rounds = min(old.figures.rates.count, new.figures.rates.count)
        return Line(
            row: "\(old.row.workload) on \(old.row.input)", contender: old.figures.contender,
            before: old.figures.throughput, after: new.figures.throughput, ratio: ratio,
            change: Change(ratio: ratio, rounds: rounds, threshold: threshold))
    }

    private static func missing(_ entries: [Entry], in others: [Entry], _ words: String) -> [String]
    {
        let missing = entries.filter { entry in !others.contains(where: entry.isLike) }
        return missing.map { words + $0.figures.contender + " in " + $0.row.key.text }
    }

    private static func cells(_ line: Line) -> [String] {
        [
            line.row, line.contender, Format.count(line.before) + "/s",
            Format.count(line.after) + "/s", line.ratio.map { Format.fixed($0.median, 3) } ?? "-",
            line.ratio?.text ?? "-", line.change.rawValue,
        ]
    }

    /// What can cause a change: different machines, commands or inputs, noise, a partial result.
    private static func differences(_ before: BenchResult, _ after: BenchResult) -> [String] {
        let facts = [before, after].map { result in
            result.machine.facts + [("host", result.identity.host), ("command", result.command)]
        }
        let differing = zip(facts[0], facts[1]).filter { $0.text != $1.text }.map {
            "the \($0.name) differs: \($0.text) before, \($1.text) after"
        }
        return differing + inputDifferences(before, after)
            + [before, after].compactMap(\.noise.warning)
            + [before, after].compactMap(\.failure).map { "a result is partial: \($0)" }
    }

    private static func inputDifferences(_ before: BenchResult, _ after: BenchResult) -> [String] {
        before.inputs.compactMap { input in
            guard let other = after.inputs.first(where: { $0.name == input.name }),
                other.digest != input.digest
            else { return nil }
            return "the input \(input.name) differs: \(input.digest) before, \(other.digest) after"
        }
    }
}

/// How a throughput changed from one result to the next.
package enum Change: String, Codable, CaseIterable, Sendable {
    case regression, improvement, unchanged, undecided

    /// A regression if the whole interval is below 1 - `threshold`, an improvement if above 1 +
    /// `threshold`, unchanged if between the two; otherwise, or with too few rounds, undecided.
    ///
    /// - Parameters:
    ///   - ratio: throughput after / throughput before; nil where it is not known.
    ///   - rounds: the number of rounds of the result that has fewer.
    ///   - threshold: 0.05 for 5 %.
    package init(ratio: Interval?, rounds: Int, threshold: Double) {
        guard let ratio, rounds >= Verdict.roundMinimum else { self = .undecided; return }
        let (low, high) = (1 - threshold, 1 + threshold)
        if ratio.upper < low {
            self = .regression
        } else if ratio.lower > high {
            self = .improvement
        } else {
            self = ratio.lower >= low && ratio.upper <= high ? .unchanged : .undecided
        }
    }

    /// A regression if any row is one; otherwise undecided if any row is, or if there are no rows;
    /// otherwise an improvement if any row is one; otherwise unchanged.
    package init(all changes: [Change]) {
        if changes.contains(.regression) {
            self = .regression
        } else if changes.isEmpty || changes.contains(.undecided) {
            self = .undecided
        } else {
            self = changes.contains(.improvement) ? .improvement : .unchanged
        }
    }

    package var exit: BenchExit {
        switch self {
        case .improvement, .unchanged: .met
        case .regression: .missed
        case .undecided: .undecided
        }
    }
}
