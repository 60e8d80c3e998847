/// A picture of shapes and text as SVG; its coordinates are in units of its view box.
package struct Drawing: Sendable {
    /// The alignment of a text at its position.
    package enum Anchor: String, Sendable { case start, middle, end }

    package struct Point: Sendable {
        package let x: Double
        package let y: Double

        package init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
    }

    /// The height of a capital letter, for centring text vertically.
    package static let capitalHeight = 8.0

    package let width: Double
    package let height: Double
    private var shapes: [Markup] = []

    package init(width: Double, height: Double) { (self.width, self.height) = (width, height) }

    /// An upper bound for the width of a text in any system's font.
    package static func width(of text: String) -> Double { Double(text.count) * 6.6 }

    /// An upper bound for the width of the widest text.
    package static func width(_ texts: [String]) -> Double { texts.map(width(of:)).max() ?? 0 }

    package mutating func line(_ from: Point, _ to: Point, _ style: String) {
        add("line", ["x1": from.x, "y1": from.y, "x2": to.x, "y2": to.y], ["class": style])
    }

    package mutating func rectangle(_ corner: Point, width: Double, height: Double, _ style: String)
    {
        let size = (max(width, 0), max(height, 0))
        add(
            "rect", ["x": corner.x, "y": corner.y, "width": size.0, "height": size.1],
            ["class": style])
    }

    package mutating func curve(_ points: [Point], _ style: String, dashes: String) {
        let text = points.map { Self.number($0.x) + "," + Self.number($0.y) }
        add(
            "polyline", [:],
            ["points": text.joined(separator: " "), "stroke-dasharray": dashes, "class": style])
    }

    package mutating func circle(_ center: Point, radius: Double, _ style: String) {
        add("circle", ["cx": center.x, "cy": center.y, "r": radius], ["class": style])
    }

    /// A closed polygon; its corners are relative to `center`.
    package mutating func polygon(
        _ center: Point, _ corners: [(x: Double, y: Double)], _ style: String
    ) {
        let path = corners.map { Self.number(center.x + $0.x) + " " + Self.number(center.y + $0.y) }
        add("path", [:], ["d": "M" + path.joined(separator: "L") + "Z", "class": style])
    }

    package mutating func text(
        _ text: String, _ place: Point, _ anchor: Anchor, _ style: String = ""
    ) {
        add(
            "text", ["x": place.x, "y": place.y],
            ["text-anchor": anchor.rawValue, "class": style], [Markup(text)])
    }

    /// A short vertical line at each end of a horizontal interval.
    package mutating func whiskers(
        _ ends: (lower: Double, upper: Double), middle: Double, reach: Double, _ style: String
    ) {
        for end in [ends.lower, ends.upper] {
            line(.init(x: end, y: middle - reach), .init(x: end, y: middle + reach), style)
        }
    }

    /// The whole picture.
    ///
    /// - Parameter label: what the picture shows, for screen readers.
    package func markup(_ label: String, style: String = "chart") -> Markup {
        let box = "0 0 \(Self.number(width)) \(Self.number(height))"
        return Markup(
            "svg", ["viewBox": box, "role": "img", "aria-label": label, "class": style], shapes)
    }

    private mutating func add(
        _ name: StaticString, _ numbers: KeyValuePairs<StaticString, Double>,
        _ texts: KeyValuePairs<StaticString, String>, _ content: [Markup] = []
    ) {
        let pairs = numbers.map { ($0.key, Self.number($0.value)) } + texts.map { $0 }
        shapes.append(Markup(name, pairs: pairs, content))
    }

    /// The shortest text for a number, rounded to a tenth of a unit.
    private static func number(_ number: Double) -> String {
        number.isFinite ? Measure.short(number, 1) : "0"
    }
}
