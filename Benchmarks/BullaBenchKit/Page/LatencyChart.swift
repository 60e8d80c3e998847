internal import Foundation

/// How long the steps of a row took: for each share of them the latency that it did not exceed.
///
/// Shares stand where `1 / (1 - share)` stands on a logarithmic axis, so that the rare long ones
/// have as much space as the many short ones.
struct LatencyChart: Sendable {
    private static let width = 440.0
    private static let height = 270.0
    private static let pointsPerDecade = 24
    /// The most of `1 / (1 - share)` that is shown.
    private static let reachLimit = 1e6

    private let row: ResultRow
    private let curves: [Curve]

    /// Nil where no latency was counted.
    init?(_ row: ResultRow, _ series: [Series]) {
        curves = row.figures.compactMap { figures in
            series.first { $0.name == figures.contender }.flatMap { Curve(figures.latency, $0) }
        }
        guard !curves.isEmpty else { return nil }
        self.row = row
    }

    func markup(_ label: String) -> Markup {
        var drawing = Drawing(width: Self.width, height: Self.height)
        let bottom = Self.height - Axes.bottom
        let times = curves.flatMap(\.points).map(\.nanoseconds)
        let y = Scale.decades(
            max(times.min() ?? 1, 1), times.max() ?? 1, from: bottom, to: Axes.top)
        let yTicks = y.ticks(apart: 16).map {
            Axes.Tick(value: $0, text: Quantity.tick(nanoseconds: $0))
        }
        let right = Self.width - Axes.right(curves.map(\.series))
        let x = Scale.logarithmic(
            1, max(100, curves.map(\.reach).max() ?? 1), from: Axes.left(yTicks.map(\.text)),
            to: right, ticks: [1, 2, 10, 100, 1e3, 1e4, 1e5, 1e6])
        let xTicks = x.ticks.filter { $0 <= x.upper * 1.001 }
        let axes = Axes(
            x: x, y: y, xTicks: Self.spaced(xTicks, x), yTicks: yTicks,
            xTitle: "percentile of all (%)",
            yTitle: "latency of one \(row.step), logarithmic")
        axes.draw(&drawing)
        for curve in curves { curve.draw(axes, &drawing) }
        Axes.drawLabels(
            curves.map { ($0.series, y.place($0.points.last?.nanoseconds ?? 1)) }, at: right + 4,
            within: Axes.top...bottom, &drawing)
        return drawing.markup(label)
    }

    private static func spaced(_ reaches: [Double], _ x: Scale) -> [Axes.Tick] {
        var ticks: [Axes.Tick] = []
        var end = -Double.infinity
        for reach in reaches {
            let text = share(reach)
            let half = Drawing.width(of: text) / 2
            guard x.place(reach) - half > end + 4 else { continue }
            ticks.append(.init(value: reach, text: text))
            end = x.place(reach) + half
        }
        return ticks
    }

    /// `0`, `50`, `90`, `99`, `99.9`.
    private static func share(_ reach: Double) -> String {
        let digits = max(0, Int(log10(reach).rounded()) - 2)
        return Format.fixed((1 - 1 / reach) * 100, digits)
    }

    private struct Curve {
        struct Point {
            let reach: Double
            let nanoseconds: Double
        }

        let series: Series
        let points: [Point]
        /// The greatest `1 / (1 - share)` of which something is known.
        let reach: Double

        init?(_ latency: Latency, _ series: Series) {
            guard latency.count > 0 else { return nil }
            self.series = series
            reach = min(max(Double(latency.count), 10), LatencyChart.reachLimit)
            let count = Int(log10(reach) * Double(LatencyChart.pointsPerDecade))
            let last = reach
            points = (0...count).map { index in
                let reach = pow(last, Double(index) / Double(max(count, 1)))
                let time = latency.percentile((1 - 1 / reach) * 100) ?? 0
                return Point(reach: reach, nanoseconds: Double(time))
            }
        }

        func draw(_ axes: Axes, _ drawing: inout Drawing) {
            let places = points.map {
                Drawing.Point(x: axes.x.place($0.reach), y: axes.y.place($0.nanoseconds))
            }
            drawing.curve(places, "curve " + series.color, dashes: series.dashes)
            // At the ends of the decades, where they are looked for.
            for index in stride(
                from: LatencyChart.pointsPerDecade, to: places.count,
                by: LatencyChart.pointsPerDecade)
            {
                series.drawMark(&drawing, at: places[index])
            }
        }
    }
}
