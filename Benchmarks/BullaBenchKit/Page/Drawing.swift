/// A picture of lines and text, drawn in units that its frame is measured in.
struct Drawing: Sendable {
    /// How a text lies beside its place.
    enum Anchor: String, Sendable { case start, middle, end }

    struct Point: Sendable {
        let x: Double
        let y: Double
    }

    /// The height of a capital letter, by which text is centred on a line.
    static let capitalHeight = 8.0

    let width: Double
    let height: Double
    private var shapes: [Markup] = []

    init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    /// How wide a text is at most, in any system's font.
    static func width(of text: String) -> Double { Double(text.count) * 6.6 }

    mutating func line(_ from: Point, _ to: Point, _ style: String) {
        shapes.append(
            Markup(
                "line",
                [
                    "x1": Self.number(from.x), "y1": Self.number(from.y),
                    "x2": Self.number(to.x), "y2": Self.number(to.y), "class": style,
                ]))
    }

    mutating func rectangle(_ corner: Point, width: Double, height: Double, _ style: String) {
        shapes.append(
            Markup(
                "rect",
                [
                    "x": Self.number(corner.x), "y": Self.number(corner.y),
                    "width": Self.number(max(width, 0)), "height": Self.number(max(height, 0)),
                    "class": style,
                ]))
    }

    mutating func curve(_ points: [Point], _ style: String, dashes: String = "none") {
        let text = points.map { Self.number($0.x) + "," + Self.number($0.y) }
        shapes.append(
            Markup(
                "polyline",
                [
                    "points": text.joined(separator: " "), "stroke-dasharray": dashes,
                    "class": style,
                ]))
    }

    mutating func circle(_ center: Point, radius: Double, _ style: String) {
        shapes.append(
            Markup(
                "circle",
                [
                    "cx": Self.number(center.x), "cy": Self.number(center.y),
                    "r": Self.number(radius), "class": style,
                ]))
    }

    /// Straight lines between corners around a center, closed.
    mutating func polygon(_ center: Point, _ corners: [Point], _ style: String) {
        let path = corners.map {
            Self.number(center.x + $0.x) + " " + Self.number(center.y + $0.y)
        }
        shapes.append(
            Markup("path", ["d": "M" + path.joined(separator: "L") + "Z", "class": style]))
    }

    mutating func text(_ text: String, _ place: Point, _ anchor: Anchor, _ style: String = "") {
        shapes.append(
            Markup(
                "text",
                [
                    "x": Self.number(place.x), "y": Self.number(place.y),
                    "text-anchor": anchor.rawValue, "class": style,
                ], text))
    }

    /// The whole picture.
    ///
    /// - Parameter label: what it shows, for those who cannot see it.
    func markup(_ label: String, style: String = "chart") -> Markup {
        Markup(
            "svg",
            [
                "viewBox": "0 0 \(Self.number(width)) \(Self.number(height))", "role": "img",
                "aria-label": label, "class": style,
            ], shapes)
    }

    /// As short as a tenth of a unit can be told.
    private static func number(_ number: Double) -> String {
        guard number.isFinite else { return "0" }
        let text = Format.fixed(number, 1)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
