/// What each contender of a row did by the second: a bar for the median of the rounds, and between
/// what the true one lies with 95 % confidence.
struct ThroughputChart: Sendable {
    private static let width = 440.0
    private static let lineHeight = 26.0

    private let row: ResultRow
    private let series: [Series]

    init(_ row: ResultRow, _ series: [Series]) {
        self.row = row
        self.series = series
    }

    func markup(_ label: String) -> Markup {
        let bars = row.figures.compactMap { figures in
            series.first { $0.name == figures.contender }.map { Bar(figures, row.unit, $0) }
        }
        let bottom = Double(bars.count) * Self.lineHeight + 4
        var drawing = Drawing(width: Self.width, height: bottom + 42)
        let left = (bars.map { Drawing.width(of: $0.series.shortName) }.max() ?? 0) + 26
        let right = Self.width - (bars.map { Drawing.width(of: $0.text) }.max() ?? 0) - 10
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
        /// In what the axis counts.
        let rate: Double
        let interval: Interval?

        init(_ figures: Figures, _ unit: String, _ series: Series) {
            let scale = Quantity.axis(of: unit).scale
            self.series = series
            text = Quantity.rate(figures.throughput, of: unit)
            rate = figures.throughput / scale
            interval = figures.interval(scale: scale)
        }
    }

    private func drawAxis(_ scale: Scale, _ bottom: Double, _ drawing: inout Drawing) {
        let texts = scale.ticks.map { Quantity.tick($0, of: scale.upper) }
        let distance = (texts.map(Drawing.width).max() ?? 0) + 8
        for tick in scale.ticks(apart: distance) {
            let x = scale.place(tick)
            drawing.line(.init(x: x, y: 0), .init(x: x, y: bottom), "grid")
            drawing.text(
                Quantity.tick(tick, of: scale.upper), .init(x: x, y: bottom + 15), .middle)
        }
        drawing.text(
            Quantity.axis(of: row.unit).title, .init(x: scale.end, y: bottom + 34), .end, "title")
    }

    private func draw(_ bar: Bar, _ scale: Scale, middle: Double, _ drawing: inout Drawing) {
        let base = middle + Drawing.capitalHeight / 2
        bar.series.drawMark(&drawing, at: .init(x: 7, y: middle))
        drawing.text(bar.series.shortName, .init(x: 18, y: base), .start)
        drawing.rectangle(
            .init(x: scale.start, y: middle - 7),
            width: scale.place(bar.rate) - scale.start,
            height: 14, "bar " + bar.series.color)
        if let interval = bar.interval { drawWhisker(interval, scale, middle, &drawing) }
        drawing.text(bar.text, .init(x: Self.width - 2, y: base), .end, "value")
    }

    private func drawWhisker(
        _ interval: Interval, _ scale: Scale, _ middle: Double, _ drawing: inout Drawing
    ) {
        let ends = [scale.place(interval.lower), scale.place(interval.upper)]
        drawing.line(.init(x: ends[0], y: middle), .init(x: ends[1], y: middle), "whisker")
        for end in ends {
            drawing.line(.init(x: end, y: middle - 4), .init(x: end, y: middle + 4), "whisker")
        }
    }
}
