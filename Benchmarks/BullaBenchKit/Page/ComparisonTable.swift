/// All rows: what each contender did, and its time as a multiple of its base's.
struct ComparisonTable: Sendable {
    private let rows: [PageRow]
    private let series: [Series]
    private let bar: RatioBar
    private let hasOneTarget: Bool

    init(_ rows: [PageRow], _ series: [Series]) {
        self.rows = rows
        self.series = series
        let comparisons = rows.flatMap(\.row.comparisons)
        let targets = rows.filter { $0.row.verdict != nil }.map { 1 + $0.result.settings.target }
        // One line for all rows is right only where all have the same target.
        let limit = targets.allSatisfy { $0 == targets.first } ? targets.first : nil
        hasOneTarget = limit != nil
        bar = RatioBar(comparisons, limit: limit)
    }

    var markup: Markup {
        let bases = VerdictSection.distinct(rows.flatMap(\.row.comparisons).map(\.base))
        let dashes = hasOneTarget ? " (dashed: the target)" : ""
        let base = bases.count == 1 ? bases[0] + "'s" : "the base's"
        let verdicts: [PageTable.Column] =
            hasVerdicts ? [.init(title: "verdict", style: "verdict")] : []
        let columns: [PageTable.Column] = [
            .init(title: "contender", style: "name"),
            .init(title: "throughput"), .init(title: "p50"), .init(title: "p99"),
            .init(title: "time, as a multiple of \(base)\(dashes)", note: bar.axis, style: "plot"),
            .init(title: "ratio, 95 % interval"),
        ]
        var table = PageTable(columns + verdicts)
        for row in rows {
            table.append(Self.title(row), lines: row.row.figures.map { line($0, row.row) })
        }
        return table.markup
    }

    static func title(_ row: PageRow) -> [Markup] {
        [
            Markup(row.fullTitle),
            Markup(
                "span", ["class": "note"],
                "\(row.row.unit) by the second; latency of one \(row.row.step); "
                    + "\(row.row.regime.text); "
                    + VerdictSection.counted(row.row.roundCount, "round")),
        ]
    }

    private func line(_ figures: Figures, _ row: ResultRow) -> [Markup] {
        let comparisons = row.comparisons.filter { $0.contender == figures.contender }
        let name =
            series.first { $0.name == figures.contender }?.label ?? Markup(figures.contender)
        return [
            name, Markup(Quantity.rate(figures.throughput, of: row.unit)),
            Markup(Self.percentile(50, figures)), Markup(Self.percentile(99, figures)),
            Self.stacked(comparisons.map(bar.markup)),
            comparisons.isEmpty
                ? Markup("span", ["class": "note"], isBase(figures, row) ? "base" : "")
                : Self.stacked(comparisons.map { ratio($0, comparisons.count > 1) }),
        ] + (hasVerdicts ? [Self.stacked(comparisons.compactMap(\.verdict).map(Self.verdict))] : [])
    }

    private var hasVerdicts: Bool { rows.contains { $0.row.verdict != nil } }

    private func isBase(_ figures: Figures, _ row: ResultRow) -> Bool {
        row.comparisons.contains { $0.base == figures.contender }
    }

    private func ratio(_ comparison: RowComparison, _ isNamed: Bool) -> Markup {
        guard let median = comparison.median else { return Markup(Quantity.unknown) }
        let interval = comparison.ratio.map { Quantity.interval($0) } ?? "no interval yet"
        return Markup(
            "span", [:],
            [
                Markup("strong", [:], Quantity.ratio(median)), Markup(" "),
                Markup("small", [:], interval + (isNamed ? " of \(comparison.base)" : "")),
            ])
    }

    private static func verdict(_ verdict: Verdict) -> Markup {
        Markup(
            "span", ["class": "badge " + verdict.rawValue],
            VerdictSection.sign(verdict) + " " + verdict.rawValue)
    }

    private static func percentile(_ percent: Double, _ figures: Figures) -> String {
        figures.latency.percentile(percent).map { Quantity.time(Double($0)) } ?? Quantity.unknown
    }

    private static func stacked(_ pieces: [Markup]) -> Markup {
        pieces.count == 1 ? pieces[0] : Markup("div", ["class": "stack"], pieces)
    }
}
