/// How one contender looks in all pictures: a colour, a mark and a pattern of dashes, of which any
/// one is enough to tell it from the others.
struct Series: Sendable {
    static let colorCount = 9
    private static let nameLimit = 20

    private static let patterns = [
        "none", "none", "7 3", "2 3", "8 3 2 3", "12 4", "5 2 1 2", "4 4", "1 3",
    ]

    let name: String
    let index: Int

    /// One for each contender of all results, in the order in which they come.
    static func all(of results: [BenchResult]) -> [Series] {
        var names: [String] = []
        for name in results.flatMap(\.rows).flatMap(\.figures).map(\.contender)
        where !names.contains(name) {
            names.append(name)
        }
        return names.enumerated().map { Series(name: $1, index: $0) }
    }

    /// The name, cut where a picture has no space for it.
    var shortName: String {
        name.count <= Self.nameLimit ? name : name.prefix(Self.nameLimit - 1) + "\u{2026}"
    }

    var color: String { "s\(index % Self.colorCount)" }
    var dashes: String { Self.patterns[index % Self.patterns.count] }

    func drawMark(_ drawing: inout Drawing, at center: Drawing.Point) {
        let style = "mark " + color
        if let corners = Self.shapes[index % Self.shapes.count] {
            drawing.polygon(center, corners, style)
        } else {
            drawing.circle(center, radius: 4, style)
        }
    }

    /// The name behind its mark, in a line of text.
    var label: Markup {
        var drawing = Drawing(width: 12, height: 12)
        drawMark(&drawing, at: .init(x: 6, y: 6))
        return Markup(
            "span", ["class": "series"], [drawing.markup("", style: "key"), Markup(name)])
    }

    /// The corners of each mark around its center; nil for a circle.
    private static let shapes: [[Drawing.Point]?] = [
        corners([(-3.7, -3.7), (3.7, -3.7), (3.7, 3.7), (-3.7, 3.7)]),
        nil,
        corners([(0, -5.2), (5.2, 0), (0, 5.2), (-5.2, 0)]),
        corners([(0, -4.8), (4.8, 3.8), (-4.8, 3.8)]),
        corners([(0, 4.8), (4.8, -3.8), (-4.8, -3.8)]),
        corners([(-5, -1.8), (5, -1.8), (5, 1.8), (-5, 1.8)]),
        corners([(-1.8, -5), (1.8, -5), (1.8, 5), (-1.8, 5)]),
        corners([(4.8, 0), (-3.8, 4.8), (-3.8, -4.8)]),
        corners([(-4.8, 0), (3.8, 4.8), (3.8, -4.8)]),
    ]

    private static func corners(_ places: [(Double, Double)]) -> [Drawing.Point] {
        places.map { Drawing.Point(x: $0.0, y: $0.1) }
    }
}
