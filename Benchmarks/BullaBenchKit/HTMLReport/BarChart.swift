internal import BullaText

/// The throughput of each contender of a row: the median, and its 95 % interval.
struct ThroughputChart: Sendable {
    private static let width = 440.0
    private static let lineHeight = 26.0

    private let row: ResultRow
    private let series: [Series]

    init(_ row: ResultRow, _ series: [Series]) { (self.row, self.series) = (row, series) }

    func markup(_ label: String) -> Markup {
        let bars = row.figures.compactMap { figures in
            series.first { $0.name == figures.contender }.map { Bar(figures, row.unit, $0) }
        }
        let bottom = Double(bars.count) * Self.lineHeight + 4
        var drawing = Drawing(width: Self.width, height: bottom + 42)
        let left = Drawing.width(bars.map(\.series.shortName)) + 26
        let right = Self.width - Drawing.width(bars.map(\.text)) - 10
        let scale = Scale.linear(
            to: bars.map { max($0.rate, $0.interval?.upper ?? 0) }.max() ?? 1,
            from: left, to: max(right, left + 60))
        drawAxis(scale, bottom, &drawing)
        for (place, bar) in bars.enumerated() {
            draw(bar, scale, middle: (Double(place) + 0.5) * Self.lineHeight, &drawing)
        }
        return drawing.markup(label)
    }

    private struct Bar {
        let series: Series
        let text: String
        let rate: Double
        let interval: Interval?

        init(_ figures: Figures, _ unit: String, _ series: Series) {
            let scale = Measure.axis(of: unit).scale
            self.series = series
            text = Measure.rate(figures.throughput, of: unit)
            rate = figures.throughput / scale
            interval = figures.interval(scale: scale)
        }
    }

    private func drawAxis(_ scale: Scale, _ bottom: Double, _ drawing: inout Drawing) {
        let texts = scale.ticks.map { Measure.tick($0, of: scale.upper) }
        let distance = Drawing.width(texts) + 8
        for tick in scale.ticks(apart: distance) {
            let x = scale.place(tick)
            drawing.line(.init(x: x, y: 0), .init(x: x, y: bottom), "grid")
            drawing.text(Measure.tick(tick, of: scale.upper), .init(x: x, y: bottom + 15), .middle)
        }
        drawing.text(
            Measure.axis(of: row.unit).title, .init(x: scale.end, y: bottom + 34), .end, "title")
    }

    private func draw(_ bar: Bar, _ scale: Scale, middle: Double, _ drawing: inout Drawing) {
        let base = middle + Drawing.capitalHeight / 2
        bar.series.drawMark(&drawing, at: .init(x: 7, y: middle))
        drawing.text(bar.series.shortName, .init(x: 18, y: base), .start)
        drawing.rectangle(
            .init(x: scale.start, y: middle - 7), width: scale.place(bar.rate) - scale.start,
            height: 14, "bar " + bar.series.color)
        if let interval = bar.interval { drawWhisker(interval, scale, middle, &drawing) }
        drawing.text(bar.text, .init(x: Self.width - 2, y: base), .end, "value")
    }

    private func drawWhisker(
        _ interval: Interval, _ scale: Scale, _ middle: Double, _ drawing: inout Drawing
    ) {
        let ends = scale.ends(of: interval)
        drawing.line(.init(x: ends.lower, y: middle), .init(x: ends.upper, y: middle), "whisker")
        drawing.whiskers(ends, middle: middle, reach: 4, "whisker")
    }
}

/// The scale on which each line of a table draws its ratio.
struct RatioBar: Sendable {
    private static let width = 230.0
    private static let height = 26.0

    private let scale: Scale
    private let limit: Double?

    /// - Parameter limit: the greatest ratio that meets the target; nil without a target.
    init(_ comparisons: [RowComparison], limit: Double?) {
        let ends = comparisons.flatMap { comparison -> [Double] in
            if let ratio = comparison.ratio { return [ratio.lower, ratio.upper] }
            return comparison.median.map { [$0] } ?? []
        }
        let known = (ends + [1] + (limit.map { [$0] } ?? [])).filter { $0 > 0 && $0.isFinite }
        scale = .ratios(known.min() ?? 0.9, known.max() ?? 1.1, from: 10, to: Self.width - 10)
        self.limit = limit
    }

    var axis: Markup {
        var drawing = Drawing(width: Self.width, height: Self.height)
        let ticks = scale.ticks(apart: 34)
        let digits = scale.upper / scale.lower < 3 && ticks.count > 1 && ticks[1] - ticks[0] < 0.09
        for tick in ticks {
            let x = scale.place(tick)
            let text = digits ? Format.fixed(tick, 2) : Self.shortest(tick)
            drawing.text(text, .init(x: x, y: 13), .middle)
            drawing.line(.init(x: x, y: 18), .init(x: x, y: Self.height), "axis")
        }
        drawing.line(
            .init(x: scale.start, y: Self.height - 0.5), .init(x: scale.end, y: Self.height - 0.5),
            "axis")
        return drawing.markup("scale of the ratios", style: "ratio")
    }

    func markup(_ comparison: RowComparison) -> Markup {
        var drawing = Drawing(width: Self.width, height: Self.height)
        let middle = Self.height / 2
        rule(at: 1, "axis", &drawing)
        if let limit { rule(at: limit, "target", &drawing) }
        let style = Self.style(comparison.verdict)
        if let ratio = comparison.ratio {
            let ends = scale.ends(of: ratio)
            drawing.rectangle(
                .init(x: ends.lower, y: middle - 4), width: max(ends.upper - ends.lower, 1.5),
                height: 8, "interval " + style)
            drawing.whiskers(ends, middle: middle, reach: 6, "whisker " + style)
        }
        if let median = comparison.median {
            drawing.circle(.init(x: scale.place(median), y: middle), radius: 3.6, "dot " + style)
        }
        return drawing.markup(Self.description(comparison), style: "ratio")
    }

    private func rule(at ratio: Double, _ style: String, _ drawing: inout Drawing) {
        let x = scale.place(ratio)
        drawing.line(.init(x: x, y: 0), .init(x: x, y: Self.height), style)
    }

    private static func style(_ verdict: Verdict?) -> String { verdict?.rawValue ?? "open" }

    private static func description(_ comparison: RowComparison) -> String {
        guard let median = comparison.median else { return "no ratio" }
        let interval =
            comparison.ratio.map { ", 95 % interval " + Measure.interval($0.lower, $0.upper) } ?? ""
        return "ratio " + Measure.ratio(median) + interval
    }

    /// The text of a tick, such as `0.05`, `0.2`, `1` or `20`.
    private static func shortest(_ number: Double) -> String {
        let digits = number < 0.0995 ? 2 : number < 0.995 ? 1 : number < 9.5 ? 1 : 0
        return Measure.short(number, digits)
    }
}

/// All rows: each contender's figures, and its time as a multiple of its base's.
struct ComparisonTable: Sendable {
    private let rows: [PageRow]
    private let series: [Series]
    private let bar: RatioBar
    private let hasOneTarget: Bool

    init(_ rows: [PageRow], _ series: [Series]) {
        (self.rows, self.series) = (rows, series)
        let comparisons = rows.flatMap(\.row.comparisons)
        let targets = rows.filter { $0.row.verdict != nil }.map { 1 + $0.result.settings.target }
        // One dashed line for the target is right only if all rows have the same target.
        let limit = targets.allSatisfy { $0 == targets.first } ? targets.first : nil
        hasOneTarget = limit != nil
        bar = RatioBar(comparisons, limit: limit)
    }

    var markup: Markup {
        let bases = rows.flatMap(\.row.comparisons).map(\.base).distinct
        let dashes = hasOneTarget ? " (dashed: the target)" : ""
        let base = bases.count == 1 ? bases[0] + "'s" : "the base's"
        let verdicts: [PageTable.Column] =
            hasVerdicts ? [.init(title: "verdict", style: "verdict")] : []
        let columns: [PageTable.Column] = [
            .init(title: "contender", style: "name"),
            .init(title: "throughput"), .init(title: "p50"), .init(title: "p99"),
            .init(title: "CPU time for each"),
            .init(title: "written; memory (shared)"),
            .init(title: "ratio of CPU time"),
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
                "\(row.row.unit) per second; latency of one \(row.row.step); "
                    + "\(row.row.regime.text); "
                    + VerdictSection.counted(row.row.roundCount, "round")
                    + (row.row.loadNote(row.result.machine).map { "; " + $0 } ?? "")),
        ]
    }

    private func line(_ figures: Figures, _ row: ResultRow) -> [Markup] {
        let comparisons = row.comparisons.filter { $0.contender == figures.contender }
        return [
            series.label(of: figures.contender),
            Markup(Measure.rate(figures.throughput, of: row.unit)),
            Markup(Self.percentile(50, figures)), Markup(Self.percentile(99, figures)),
            Markup(Self.processorTime(figures)), Self.costs(figures),
            Self.stacked(
                comparisons.compactMap(\.processorRatio).map {
                    Self.ratio($0.median, Measure.interval($0.lower, $0.upper))
                }), Self.stacked(comparisons.map(bar.markup)),
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
        guard let median = comparison.median else { return Markup(Measure.unknown) }
        let interval =
            comparison.ratio.map { Measure.interval($0.lower, $0.upper) } ?? "no interval yet"
        return Self.ratio(median, interval + (isNamed ? " of \(comparison.base)" : ""))
    }

    private static func ratio(_ median: Double, _ note: String) -> Markup {
        Markup(
            "span", [:],
            [
                Markup("strong", [:], Measure.ratio(median)), Markup(" "),
                Markup("small", [:], note),
            ])
    }

    private static func processorTime(_ figures: Figures) -> String {
        figures.work > 0 ? Measure.time(figures.processorNanoseconds) : Measure.unknown
    }

    private static func costs(_ figures: Figures) -> Markup {
        let costs = figures.costs
        let memory = Measure.bytes(costs.peakResidentByteCount)
        return stacked([
            Markup(figures.share(costs.byteCountWritten) ?? Measure.unknown),
            Markup("small", [:], "\(memory) (\(Measure.bytes(costs.sharedByteCount)))"),
        ])
    }

    private static func verdict(_ verdict: Verdict) -> Markup {
        Markup(
            "span", ["class": "badge " + verdict.rawValue],
            VerdictSection.sign(verdict) + " " + verdict.rawValue)
    }

    private static func percentile(_ percent: Double, _ figures: Figures) -> String {
        figures.latency.percentile(percent).map { Measure.time(Double($0)) } ?? Measure.unknown
    }

    private static func stacked(_ pieces: [Markup]) -> Markup {
        pieces.count == 1 ? pieces[0] : Markup("div", ["class": "stack"], pieces)
    }
}

struct CostTable: Sendable {
    let rows: [PageRow]
    let series: [Series]

    var markup: Markup {
        var table = PageTable([
            .init(title: "contender", style: "name"), .init(title: "made dirty for each"),
            .init(title: "flushes per commit"), .init(title: "memory of the largest worker"),
            .init(title: "in the page cache"),
        ])
        for row in rows {
            let title = [
                Markup(row.fullTitle),
                Markup(
                    "span", ["class": "note"],
                    "each of the \(row.row.unit); workers \u{D7} threads "
                        + "\(row.row.regime.workers) \u{D7} \(row.row.regime.threads)"),
            ]
            table.append(title, lines: row.row.figures.map(line))
        }
        return table.markup
    }

    private func line(_ figures: Figures) -> [Markup] {
        let costs = figures.costs
        let texts = [
            figures.share(costs.byteCountDirtied) ?? Measure.unknown,
            costs.flushesPerCommit.map { Format.fixed($0, 2) } ?? Measure.unknown,
            Measure.bytes(costs.peakWorkerByteCount), Measure.bytes(costs.pageCacheByteCount),
        ]
        return [series.label(of: figures.contender)] + texts.map { Markup($0) }
    }
}
