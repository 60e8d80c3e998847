/// The rows of one input as a table: one line each where two contenders are compared, a block of
/// lines each where there are more.
enum ResultTable {
    static func lines(_ rows: [ResultRow]) -> [String] {
        let isPair = rows.allSatisfy { $0.figures.count == 2 && $0.comparisons.count == 1 }
        return isPair ? pairs(rows) : rows.flatMap(block)
    }

    private static func pairs(_ rows: [ResultRow]) -> [String] {
        guard let first = rows.first else { return [] }
        let names = first.figures.map(\.contender)
        var table = TextTable(
            header: [
                "workload", names[0], names[1], "p50 of each", "p99 of each", "ratio",
                "95 % interval", "rounds", "verdict",
            ], leftColumnCount: 1)
        for row in rows { table.append(cells(row)) }
        let lines = table.lines
        return [lines[0]]
            + zip(rows, lines.dropFirst()).flatMap { row, line in [line, detail(row)] }
    }

    private static func cells(_ row: ResultRow) -> [String] {
        let (plain, encrypted) = (row.figures[0], row.figures[1])
        let comparison = row.comparisons[0]
        return [
            row.workload, rate(plain, row), rate(encrypted, row),
            Format.times(plain.percentile(50), encrypted.percentile(50)),
            Format.times(plain.percentile(99), encrypted.percentile(99)),
            comparison.median.map { Format.fixed($0, 3) } ?? "-", interval(comparison),
            "\(row.roundCount)", comparison.verdict?.rawValue ?? "-",
        ]
    }

    private static func block(_ row: ResultRow) -> [String] {
        var table = TextTable(
            header: [
                row.workload, "throughput", "p50", "p99", "of the time of", "ratio",
                "95 % interval", "verdict",
            ], leftColumnCount: 1)
        for figures in row.figures {
            let comparisons = row.comparisons.filter { $0.contender == figures.contender }
            let head = [
                "  " + figures.contender, rate(figures, row),
                Format.time(Double(figures.percentile(50))),
                Format.time(Double(figures.percentile(99))),
            ]
            table.append(head + cells(comparisons.first))
            for comparison in comparisons.dropFirst() {
                table.append(["", "", "", ""] + cells(comparison))
            }
        }
        return table.lines + [detail(row), ""]
    }

    private static func cells(_ comparison: RowComparison?) -> [String] {
        guard let comparison else { return ["", "", "", ""] }
        return [
            comparison.base, comparison.median.map { Format.fixed($0, 3) } ?? "-",
            interval(comparison), comparison.verdict?.rawValue ?? "",
        ]
    }

    private static func detail(_ row: ResultRow) -> String {
        "    \(row.unit); latency of one \(row.step); \(row.regime.text)"
    }

    private static func interval(_ comparison: RowComparison) -> String {
        comparison.ratio.map { Format.fixed($0.lower, 3) + " - " + Format.fixed($0.upper, 3) }
            ?? "-"
    }

    private static func rate(_ figures: Figures, _ row: ResultRow) -> String {
        row.unit == "bytes"
            ? Format.bytes(Int(figures.throughput)) + "/s" : Format.count(figures.throughput) + "/s"
    }
}
