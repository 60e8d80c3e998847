/// Two results, row by row: whether the later one does as much by the second as the earlier one.
package struct ResultComparison: Sendable {
    /// One contender in one row that both results have.
    package struct Line: Sendable {
        package let row: String
        package let contender: String
        package let before: Double
        package let after: Double
        /// Throughput after / throughput before.
        package let ratio: Interval?
        package let change: Change
    }

    package let lines: [Line]
    /// What only one of them has, and in what the two differ beside the code.
    package let warnings: [String]

    package init(before: BenchResult, after: BenchResult, threshold: Double) {
        precondition(threshold > 0 && threshold < 1, "a threshold is a share")
        let old = Self.entries(before)
        let new = Self.entries(after)
        lines = old.compactMap { entry in
            new.first { $0.key == entry.key }.map { Self.line(entry, $0, threshold) }
        }
        warnings =
            Self.differences(before, after)
            + Self.missing(old, in: new, "only before: ")
            + Self.missing(new, in: old, "only after: ")
    }

    package var change: Change { Change(all: lines.map(\.change)) }

    /// The table, what is to be warned of, and the verdict.
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

    /// What is compared with what has the same key in the other result.
    private struct Key: Equatable {
        let input: String
        let workload: String
        let regime: Regime
        let contender: String
    }

    private struct Entry {
        let key: Key
        let row: ResultRow
        let figures: Figures

        var name: String {
            "\(row.workload) on \(row.input) (\(row.regime.text))"
        }
    }

    private static func entries(_ result: BenchResult) -> [Entry] {
        result.rows.flatMap { row in
            row.figures.map { figures in
                let key = Key(
                    input: row.input, workload: row.workload, regime: row.regime,
                    contender: figures.contender)
                return Entry(key: key, row: row, figures: figures)
            }
        }
    }

    private static func line(_ old: Entry, _ new: Entry, _ threshold: Double) -> Line {
        let ratio = RateRatio(before: old.figures.rates, after: new.figures.rates).interval(seed: 1)
        let rounds = min(old.figures.rates.count, new.figures.rates.count)
        return Line(
            row: "\(old.row.workload) on \(old.row.input)", contender: old.key.contender,
            before: old.figures.throughput, after: new.figures.throughput, ratio: ratio,
            change: Change(ratio: ratio, rounds: rounds, threshold: threshold))
    }

    private static func missing(_ entries: [Entry], in others: [Entry], _ words: String)
        -> [String]
    {
        let missing = entries.filter { entry in !others.contains { $0.key == entry.key } }
        return missing.map { words + $0.key.contender + " in " + $0.name }
    }

    private static func cells(_ line: Line) -> [String] {
        [
            line.row, line.contender, Format.count(line.before) + "/s",
            Format.count(line.after) + "/s", line.ratio.map { Format.fixed($0.median, 3) } ?? "-",
            line.ratio.map { Format.fixed($0.lower, 3) + " - " + Format.fixed($0.upper, 3) } ?? "-",
            line.change.rawValue,
        ]
    }

    /// In what the circumstances differ: then a change may be due to them.
    private static func differences(_ before: BenchResult, _ after: BenchResult) -> [String] {
        let (old, new) = (before.machine, after.machine)
        let facts = [
            ("processor", old.processor, new.processor),
            ("cores", "\(old.coreCount)", "\(new.coreCount)"),
            ("NUMA nodes", "\(old.numaNodeCount)", "\(new.numaNodeCount)"),
            ("memory", Format.bytes(old.memoryByteCount), Format.bytes(new.memoryByteCount)),
            ("system", old.system, new.system), ("kernel", old.kernel, new.kernel),
            ("libcrypto", old.openSSL, new.openSSL),
            ("file system", old.fileSystem?.kind ?? "unknown", new.fileSystem?.kind ?? "unknown"),
            ("host", before.identity.host, after.identity.host),
            ("command", before.command, after.command),
        ]
        let differing = facts.filter { $0.1 != $0.2 }.map { name, old, new in
            "the \(name) differs: \(old) before, \(new) after"
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
