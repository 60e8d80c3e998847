internal import BullaText

package enum ResultText {
    package static func all(_ result: BenchResult) -> String {
        (heading(result) + [""] + lines(result) + ending(result)).joined(separator: "\n")
    }

    static func heading(_ result: BenchResult) -> [String] {
        let facts =
            result.machine.factsAtStart
            + result.contenders.map { ($0.name, "\($0.engine), \($0.configuration)") }
            + result.places.map { ("placed", $0) } + [
                (
                    "ratios",
                    "time of one / time of the other for the same work: the median, and where it "
                        + "lies with 95 % confidence; CPU: the same of processor time"
                )
            ]
        return facts.map { Format.padRight($0.0, 17) + " " + $0.1 }
    }

    package static func lines(_ result: BenchResult) -> [String] {
        result.inputs.flatMap { input in
            let rows = result.rows.filter { $0.input == input.name }
            return ["input: \(input.name): \(input.text)"]
                + ResultTable(machine: result.machine).lines(rows) + [""]
        }
    }

    /// The rows so far, narrow enough for any terminal.
    package static func draft(_ rows: [ResultRow]) -> [String] {
        var table = TextTable(
            header: ["input", "workload", "fastest", "slowest", "ratio", "rounds"],
            leftColumnCount: 2)
        for row in rows {
            let rates = row.figures.map(\.throughput)
            table.append([
                row.input, row.workload, Format.count(rates.max() ?? 0) + "/s",
                Format.count(rates.min() ?? 0) + "/s",
                row.comparisons.first?.median.map { Format.fixed($0, 3) } ?? "-",
                "\(row.roundCount)",
            ])
        }
        return table.lines
    }

    package static func ending(_ result: BenchResult) -> [String] {
        var lines = result.skipped.map { "skipped: \($0)" }
        if let warning = result.noise.warning { lines.append("warning: \(warning)") }
        if result.rows.contains(where: { $0.roundCount < Verdict.roundMinimum }) {
            lines.append(
                "warning: fewer than \(Verdict.roundMinimum) rounds decide nothing: raise --time")
        }
        if let failure = result.failure {
            return lines + ["PARTIAL: the run ended early: \(failure)"]
        }
        lines.append("Every store was verified: it held exactly the records that it had to.")
        return lines + (result.rows.contains { $0.verdict != nil } ? [verdict(result)] : [])
    }

    private static func verdict(_ result: BenchResult) -> String {
        let target = Format.fixed(result.settings.target * 100, 1) + " %"
        let count = { (verdict: Verdict) in result.rows.count { $0.verdict == verdict } }
        return "verdict: \(result.verdict.rawValue.uppercased()) (target: encryption costs at most "
            + "\(target) of the time; \(count(.met)) met, \(count(.missed)) missed, "
            + "\(count(.undecided)) undecided)"
    }
}

/// The rows of one input: a line each if all compare two contenders, otherwise a block each.
struct ResultTable {
    let machine: Machine

    func lines(_ rows: [ResultRow]) -> [String] {
        let isPair = rows.allSatisfy { $0.figures.count == 2 && $0.comparisons.count == 1 }
        return isPair ? pairs(rows) : rows.flatMap(block)
    }

    private func pairs(_ rows: [ResultRow]) -> [String] {
        guard let first = rows.first else { return [] }
        let names = first.figures.map(\.contender)
        var table = TextTable(
            header: [
                "workload", names[0], names[1], "p50 of each", "p99 of each", "CPU of each",
                "CPU ratio", "95 % interval", "ratio", "95 % interval", "verdict",
            ], leftColumnCount: 1)
        for row in rows { table.append(Self.cells(row)) }
        let lines = table.lines
        return [lines[0]]
            + zip(rows, lines.dropFirst()).flatMap { row, line in [line] + details(row) }
    }

    private static func cells(_ row: ResultRow) -> [String] {
        let (plain, encrypted) = (row.figures[0], row.figures[1])
        let comparison = row.comparisons[0]
        return [
            row.workload, rate(plain, row), rate(encrypted, row),
            Self.percentiles(50, plain, encrypted),
            Self.percentiles(99, plain, encrypted),
            Format.times(plain.processorNanoseconds, encrypted.processorNanoseconds),
            comparison.processorRatio.map { Format.fixed($0.median, 3) } ?? "-",
            comparison.processorRatio?.text ?? "-", ratio(comparison),
            comparison.ratio?.text ?? "-", comparison.verdict?.rawValue ?? "-",
        ]
    }

    private static func percentiles(_ percent: Double, _ one: Figures, _ other: Figures) -> String {
        Format.times(Double(one.percentile(percent)), Double(other.percentile(percent)))
    }

    private static func ratio(_ comparison: RowComparison) -> String {
        comparison.median.map { Format.fixed($0, 3) } ?? "-"
    }

    private func block(_ row: ResultRow) -> [String] {
        var table = TextTable(
            header: [
                row.workload, "throughput", "p50", "p99", "CPU", "written", "memory", "shared",
                "of the time of", "ratio", "95 % interval", "verdict",
            ], leftColumnCount: 1)
        for figures in row.figures {
            let comparisons = row.comparisons.filter { $0.contender == figures.contender }
            let head = [
                "  " + figures.contender, Self.rate(figures, row),
                Format.time(Double(figures.percentile(50))),
                Format.time(Double(figures.percentile(99))),
                Format.time(figures.processorNanoseconds),
                figures.share(figures.costs.byteCountWritten) ?? "-",
                Format.bytes(Int(figures.costs.peakResidentByteCount)),
                Format.bytes(Int(figures.costs.sharedByteCount)),
            ]
            table.append(head + Self.cells(comparisons.first))
            for comparison in comparisons.dropFirst() {
                table.append(head.map { _ in "" } + Self.cells(comparison))
            }
        }
        return table.lines + details(row) + [""]
    }

    private static func cells(_ comparison: RowComparison?) -> [String] {
        guard let comparison else { return ["", "", "", ""] }
        return [
            comparison.base, ratio(comparison), comparison.ratio?.text ?? "-",
            comparison.verdict?.rawValue ?? "",
        ]
    }

    private func details(_ row: ResultRow) -> [String] {
        let detail =
            "    \(row.unit); \(row.roundCount) rounds; latency of one \(row.step); "
            + row.regime.text
        return [detail] + (row.loadNote(machine).map { ["    " + $0] } ?? [])
    }

    private static func rate(_ figures: Figures, _ row: ResultRow) -> String {
        row.unit == "bytes"
            ? Format.bytes(Int(figures.throughput)) + "/s" : Format.count(figures.throughput) + "/s"
    }
}

extension ResultRow {
    /// What a rate does not show: deferred work and, for a load, memory touched for the first time.
    func loadNote(_ machine: Machine) -> String? {
        let settled = figures.compactMap { $0.settledRates?.median.map { Format.count($0) + "/s" } }
        guard !settled.isEmpty else { return nil }
        let touches = figures.compactMap { $0.firstTouch(machine) }
        let touch =
            workload != Workload.load.rawValue || touches.count < figures.count
            ? "" : "; of the time, first touch of memory: about " + touches.joined(separator: ", ")
        return "until settled: " + settled.joined(separator: ", ") + touch
    }
}

extension Figures {
    /// The given bytes, divided by the units of work; nil if they were not counted.
    func share(_ byteCount: UInt64?) -> String? {
        guard let byteCount, work > 0 else { return nil }
        let share = Double(byteCount) / Double(work)
        return share < 9.95
            ? Format.fixed(share, 1) + " B" : Format.bytes(Int(min(share.rounded(), 1e18)))
    }

    /// What share of time first touches took, such as `2.9 % (4.15 MiB a round)`; nil if unknown.
    fileprivate func firstTouch(_ machine: Machine) -> String? {
        guard let faults = costs.faults, let byteCount = costs.touchedByteCount, seconds > 0,
            let nanoseconds = machine.firstTouch?.nanoseconds(faults: faults, byteCount: byteCount)
        else { return nil }
        let roundByteCount = Int(min(byteCount, 1 << 50)) / max(rates.count, 1)
        return Format.fixed(nanoseconds / seconds / 1e7, 1) + " % ("
            + Format.bytes(roundByteCount) + " a round)"
    }
}
