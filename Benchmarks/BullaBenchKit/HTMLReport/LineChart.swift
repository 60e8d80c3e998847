internal import BullaText
internal import Foundation

/// Curves, one for each contender, over a logarithmic axis.
struct LineChart: Sendable {
    struct Tick: Sendable {
        let value: Double
        let text: String
    }

    struct Point: Sendable {
        let x: Double
        let y: Double
        var interval: Interval?
        var isMarked = true
    }

    struct Curve: Sendable {
        let series: Series
        let points: [Point]
    }

    private static let size = (width: 440.0, height: 270.0)
    static let bottom = size.height - 42
    static let top = 26.0
    private static let labelDistance = 15.0

    let title: String
    let curves: [Curve]
    let xTitle: String
    let xTicks: [Tick]
    let y: Scale
    let yTitle: String
    let yTicks: [Tick]

    func markup(_ label: String) -> Markup {
        var drawing = Drawing(width: Self.size.width, height: Self.size.height)
        let names = Drawing.width(curves.map(\.series.shortName))
        let x = Scale.logarithmic(
            xTicks.map(\.value), from: Drawing.width(yTicks.map(\.text)) + 22,
            to: Self.size.width - names - 32)
        drawAxes(x, &drawing)
        for curve in curves { draw(curve, x, &drawing) }
        drawLabels(at: x.end + 8, &drawing)
        return drawing.markup(label)
    }

    /// Draws lines and numbers at the ticks, and the titles of both axes.
    private func drawAxes(_ x: Scale, _ drawing: inout Drawing) {
        for tick in yTicks {
            let height = y.place(tick.value)
            drawing.line(.init(x: x.start, y: height), .init(x: x.end, y: height), "grid")
            drawing.text(
                tick.text, .init(x: x.start - 7, y: height + Drawing.capitalHeight / 2), .end)
        }
        var textEnd = -Double.infinity
        for tick in xTicks {
            let place = x.place(tick.value)
            let half = Drawing.width(of: tick.text) / 2
            guard place - half > textEnd + 4 else { continue }
            drawing.line(.init(x: place, y: y.start), .init(x: place, y: y.end), "grid")
            drawing.text(tick.text, .init(x: place, y: y.start + 15), .middle)
            textEnd = place + half
        }
        drawing.line(.init(x: x.start, y: y.start), .init(x: x.end, y: y.start), "axis")
        drawing.text(yTitle, .init(x: 2, y: 12), .start, "title")
        drawing.text(xTitle, .init(x: x.end, y: y.start + 34), .end, "title")
    }

    private func draw(_ curve: Curve, _ x: Scale, _ drawing: inout Drawing) {
        let color = curve.series.color
        let places = curve.points.map { Drawing.Point(x: x.place($0.x), y: y.place($0.y)) }
        drawing.curve(places, "curve " + color, dashes: curve.series.dashes)
        for (point, place) in zip(curve.points, places) where point.isMarked {
            if let interval = point.interval {
                drawing.line(
                    .init(x: place.x, y: y.place(interval.lower)),
                    .init(x: place.x, y: y.place(interval.upper)), "error " + color)
            }
            curve.series.drawMark(&drawing, at: place)
        }
    }

    /// Draws the names of the curves at their right ends, moved apart where they would overlap.
    private func drawLabels(at x: Double, _ drawing: inout Drawing) {
        let ends = curves.map { (series: $0.series, height: y.place($0.points.last?.y ?? 0)) }
        let sorted = ends.sorted { $0.height < $1.height }
        var places: [Double] = []
        for label in sorted {
            places.append(max(label.height, (places.last ?? -.infinity) + Self.labelDistance))
        }
        var limit = Self.bottom
        for index in places.indices.reversed() {
            places[index] = min(places[index], limit)
            limit = places[index] - Self.labelDistance
        }
        for (label, place) in zip(sorted, places) {
            label.series.drawMark(&drawing, at: .init(x: x + 6, y: place))
            drawing.text(
                label.series.shortName, .init(x: x + 15, y: place + Drawing.capitalHeight / 2),
                .start)
        }
    }
}

/// Latency percentiles of a row: the latency that each share of its steps did not exceed.
///
/// On a logarithmic axis of `1 / (1 - share)`, few long steps get as much space as many short ones.
extension LineChart {
    private static let pointsPerDecade = 24
    private static let reachLimit = 1e6

    /// Returns nil if no latency was recorded.
    init?(latencyOf row: PageRow, _ series: [Series]) {
        curves = row.row.figures.compactMap { figures in
            series.first { $0.name == figures.contender }.flatMap {
                Self.curve(figures.latency, $0)
            }
        }
        guard !curves.isEmpty else { return nil }
        title = row.fullTitle
        xTitle = "percentile of all (%)"
        let reach = max(100, curves.compactMap(\.points.last?.x).max() ?? 1)
        xTicks = ([1, 2, 10, 100, 1e3, 1e4, 1e5, 1e6].filter { $0 < reach * 0.999 } + [reach]).map {
            // Makes texts such as `0`, `50`, `90`, `99` and `99.9`.
            let digits = max(0, Int(log10($0).rounded()) - 2)
            return Tick(value: $0, text: Format.fixed((1 - 1 / $0) * 100, digits))
        }
        let times = curves.flatMap(\.points).map(\.y)
        y = .decades(max(times.min() ?? 1, 1), times.max() ?? 1, from: Self.bottom, to: Self.top)
        yTicks = y.ticks(apart: 16).map { Tick(value: $0, text: Measure.tick(nanoseconds: $0)) }
        yTitle = "latency of one \(row.row.step), logarithmic"
    }

    private static func curve(_ latency: Latency, _ series: Series) -> Curve? {
        guard latency.count > 0 else { return nil }
        let reach = min(max(Double(latency.count), 10), reachLimit)
        let count = Int(log10(reach) * Double(pointsPerDecade))
        let points = (0...count).map { index in
            let share = pow(reach, Double(index) / Double(max(count, 1)))
            let time = latency.percentile((1 - 1 / share) * 100) ?? 0
            // The ends of the decades (90, 99, 99.9 %) get marks, because readers look for them.
            return Point(
                x: share, y: Double(time), isMarked: index > 0 && index % pointsPerDecade == 0)
        }
        return Curve(series: series, points: points)
    }
}

/// How throughput grows with the number of workers and threads.
extension LineChart {
    /// The charts by workers, then those by threads: one for each combination of workload, input
    /// and regime that was measured with different numbers of workers or threads.
    static func scaling(of rows: [PageRow], _ series: [Series]) -> [LineChart] {
        scaling(of: rows, series, by: \.workers, "workers")
            + scaling(of: rows, series, by: \.threads, "threads")
    }

    private static func scaling(
        of rows: [PageRow], _ series: [Series], by number: WritableKeyPath<Regime, Int>,
        _ name: String
    ) -> [LineChart] {
        let groups = rows.map(\.row).grouped { row in
            var key = row.key
            key.regime[keyPath: number] = 0
            return key
        }
        return groups.compactMap { LineChart(scalingOf: $0.elements, series, by: name) }
    }

    private init?(scalingOf rows: [ResultRow], _ series: [Series], by name: String) {
        curves = series.compactMap { Self.curve($0, rows) }
        guard let first = rows.first, !curves.isEmpty else { return nil }
        title = first.workload + " \u{B7} " + first.input + ", by " + name
        xTitle = "workers \u{D7} threads (logarithmic)"
        let points = curves.flatMap(\.points)
        xTicks = Set(points.map(\.x)).sorted().map { Tick(value: $0, text: Format.fixed($0, 0)) }
        let y = Scale.linear(
            to: points.map { max($0.y, $0.interval?.upper ?? 0) }.max() ?? 1, from: Self.bottom,
            to: Self.top)
        self.y = y
        yTicks = y.ticks.map { Tick(value: $0, text: Measure.tick($0, of: y.upper)) }
        yTitle = Measure.axis(of: first.unit).title
    }

    /// A contender's curve; nil if workers times threads is the same in all of its rows.
    private static func curve(_ series: Series, _ rows: [ResultRow]) -> Curve? {
        let points = rows.compactMap { row -> Point? in
            guard let figures = row.figures(of: series.name) else { return nil }
            let scale = Measure.axis(of: row.unit).scale
            return Point(
                x: Double(max(row.regime.workers &* row.regime.threads, 1)),
                y: figures.throughput / scale, interval: figures.interval(scale: scale))
        }
        guard Set(points.map(\.x)).count > 1 else { return nil }
        return Curve(series: series, points: points.sorted { $0.x < $1.x })
    }
}
