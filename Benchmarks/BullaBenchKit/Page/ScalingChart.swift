/// How much more is done where more workers and threads do it.
struct ScalingChart: Sendable {
    private static let width = 440.0
    private static let height = 270.0

    let title: String
    private let unit: String
    private let curves: [Curve]

    /// One for each workload, input and regime that was measured with different numbers of threads.
    static func all(of rows: [PageRow], _ series: [Series]) -> [ScalingChart] {
        var groups: [(key: Key, rows: [ResultRow])] = []
        for row in rows.map(\.row) {
            let key = Key(row)
            if let place = groups.firstIndex(where: { $0.key == key }) {
                groups[place].rows.append(row)
            } else {
                groups.append((key, [row]))
            }
        }
        return groups.compactMap { ScalingChart($0.rows, series) }
    }

    private init?(_ rows: [ResultRow], _ series: [Series]) {
        curves = series.compactMap { Curve($0, rows) }
        guard let first = rows.first, !curves.isEmpty else { return nil }
        title = first.workload + " \u{B7} " + first.input
        unit = first.unit
    }

    func markup(_ label: String) -> Markup {
        var drawing = Drawing(width: Self.width, height: Self.height)
        let bottom = Self.height - Axes.bottom
        let points = curves.flatMap(\.points)
        let y = Scale.linear(
            to: points.map { max($0.rate, $0.interval?.upper ?? 0) }.max() ?? 1, from: bottom,
            to: Axes.top)
        let yTicks = y.ticks.map {
            Axes.Tick(value: $0, text: Quantity.tick($0, of: y.upper))
        }
        let counts = Set(points.map(\.laneCount)).sorted()
        let right = Self.width - Axes.right(curves.map(\.series)) - 8
        let x = Scale.logarithmic(
            Double(counts.first ?? 1), Double(counts.last ?? 2),
            from: Axes.left(yTicks.map(\.text)) + 10, to: right, ticks: counts.map(Double.init))
        let axes = Axes(
            x: x, y: y,
            xTicks: x.ticks(apart: 26).map { .init(value: $0, text: Format.fixed($0, 0)) },
            yTicks: yTicks, xTitle: "workers \u{D7} threads (logarithmic)",
            yTitle: Quantity.axis(of: unit).title)
        axes.draw(&drawing)
        for curve in curves { curve.draw(axes, &drawing) }
        Axes.drawLabels(
            curves.map { ($0.series, y.place($0.points.last?.rate ?? 0)) }, at: right + 8,
            within: Axes.top...bottom, &drawing)
        return drawing.markup(label)
    }

    /// What rows have in common that differ in their workers and threads only.
    private struct Key: Equatable {
        let input: String
        let workload: String
        let unit: String
        let regime: Regime

        init(_ row: ResultRow) {
            input = row.input
            workload = row.workload
            unit = row.unit
            var regime = row.regime
            (regime.workers, regime.threads) = (0, 0)
            self.regime = regime
        }
    }

    private struct Curve {
        struct Point {
            let laneCount: Int
            let rate: Double
            let interval: Interval?
        }

        let series: Series
        let points: [Point]

        /// Nil where the contender was measured with one number of threads only.
        init?(_ series: Series, _ rows: [ResultRow]) {
            let points = rows.compactMap { row -> Point? in
                guard let figures = row.figures(of: series.name) else { return nil }
                let scale = Quantity.axis(of: row.unit).scale
                return Point(
                    laneCount: max(row.regime.workers &* row.regime.threads, 1),
                    rate: figures.throughput / scale,
                    interval: figures.interval(scale: scale))
            }
            guard Set(points.map(\.laneCount)).count > 1 else { return nil }
            self.series = series
            self.points = points.sorted { $0.laneCount < $1.laneCount }
        }

        func draw(_ axes: Axes, _ drawing: inout Drawing) {
            let places = points.map {
                Drawing.Point(x: axes.x.place(Double($0.laneCount)), y: axes.y.place($0.rate))
            }
            drawing.curve(places, "curve " + series.color, dashes: series.dashes)
            for (point, place) in zip(points, places) {
                if let interval = point.interval {
                    drawing.line(
                        .init(x: place.x, y: axes.y.place(interval.lower)),
                        .init(x: place.x, y: axes.y.place(interval.upper)),
                        "error " + series.color)
                }
                series.drawMark(&drawing, at: place)
            }
        }
    }
}
