/// A plot's frame: lines and numbers at its ticks, and what is measured along each side.
struct Axes: Sendable {
    struct Tick: Sendable {
        let value: Double
        let text: String
    }

    let x: Scale
    let y: Scale
    let xTicks: [Tick]
    let yTicks: [Tick]
    /// With the unit.
    let xTitle: String
    let yTitle: String

    /// Space that a frame needs around the plot itself.
    static let top = 26.0
    static let bottom = 42.0

    /// Space for the numbers beside the vertical axis.
    static func left(_ texts: [String]) -> Double {
        (texts.map(Drawing.width).max() ?? 0) + 12
    }

    func draw(_ drawing: inout Drawing) {
        for tick in yTicks {
            let height = y.place(tick.value)
            drawing.line(.init(x: x.start, y: height), .init(x: x.end, y: height), "grid")
            drawing.text(
                tick.text, .init(x: x.start - 7, y: height + Drawing.capitalHeight / 2), .end)
        }
        for tick in xTicks {
            let place = x.place(tick.value)
            drawing.line(.init(x: place, y: y.start), .init(x: place, y: y.end), "grid")
            drawing.text(tick.text, .init(x: place, y: y.start + 15), .middle)
        }
        drawing.line(.init(x: x.start, y: y.start), .init(x: x.end, y: y.start), "axis")
        drawing.text(yTitle, .init(x: 2, y: 12), .start, "title")
        drawing.text(xTitle, .init(x: x.end, y: y.start + 34), .end, "title")
    }

    /// Names beside the right ends of curves, each as near to its own as the others let it.
    static func drawLabels(
        _ labels: [(series: Series, height: Double)], at x: Double,
        within heights: ClosedRange<Double>,
        _ drawing: inout Drawing
    ) {
        let distance = 15.0
        let sorted = labels.sorted { $0.height < $1.height }
        var places: [Double] = []
        for label in sorted {
            places.append(max(label.height, (places.last ?? -.infinity) + distance))
        }
        var limit = heights.upperBound
        for index in places.indices.reversed() {
            places[index] = min(places[index], limit)
            limit = places[index] - distance
        }
        for (label, place) in zip(sorted, places) {
            label.series.drawMark(&drawing, at: .init(x: x + 6, y: place))
            drawing.text(
                label.series.shortName, .init(x: x + 15, y: place + Drawing.capitalHeight / 2),
                .start)
        }
    }

    /// Space for those names.
    static func right(_ series: [Series]) -> Double {
        (series.map { Drawing.width(of: $0.shortName) }.max() ?? 0) + 24
    }
}
