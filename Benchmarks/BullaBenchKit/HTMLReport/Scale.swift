internal import BullaText
internal import Foundation

struct Scale: Sendable {
    let lower: Double
    let upper: Double
    /// The places of `lower` and `upper`, in the units of a drawing.
    let start: Double
    let end: Double
    let isLogarithmic: Bool
    let ticks: [Double]

    /// A scale from zero to the first tick that is not below `greatest`.
    static func linear(to greatest: Double, from start: Double, to end: Double) -> Scale {
        let greatest = greatest.isFinite && greatest > 0 ? greatest : 1
        let step = niceStep(greatest / 5)
        let count = Int((greatest / step).rounded(.up))
        return Scale(
            lower: 0, upper: step * Double(count), start: start, end: end, isLogarithmic: false,
            ticks: (0...count).map { Double($0) * step })
    }

    /// A scale that includes `least` and `greatest`; its ends are 1, 2 or 5 times a power of ten.
    static func decades(_ least: Double, _ greatest: Double, from start: Double, to end: Double)
        -> Scale
    {
        let least = positive(least)
        let greatest = max(positive(greatest), least)
        let marks = roundNumbers(least / 5.01, greatest * 5.01)
        let lower = marks.last { $0 <= least * 1.000_001 } ?? least
        var upper = marks.first { $0 >= greatest * 0.999_999 } ?? greatest
        if upper <= lower { upper = lower * 2 }
        let inside = marks.filter { $0 >= lower && $0 <= upper }
        let powers = inside.filter(isPowerOfTen)
        return Scale(
            lower: lower, upper: upper, start: start, end: end, isLogarithmic: true,
            ticks: powers.count >= 3 ? powers : inside)
    }

    /// A logarithmic scale for ratios around 1, so that 2 and 1/2 are equally far from 1.
    static func ratios(_ least: Double, _ greatest: Double, from start: Double, to end: Double)
        -> Scale
    {
        let least = positive(least)
        let greatest = max(positive(greatest), least * 1.01)
        let margin = exp(log(greatest / least) * 0.06)
        let (lower, upper) = (least / margin, greatest * margin)
        let ticks: [Double]
        if upper / lower < 3 {
            let step = niceStep((upper - lower) / 4)
            let first = Int((lower / step).rounded(.up))
            let last = Int((upper / step).rounded(.down))
            ticks = (first...max(first, last)).map { Double($0) * step }
        } else {
            ticks = roundNumbers(lower, upper)
        }
        return Scale(
            lower: lower, upper: upper, start: start, end: end, isLogarithmic: true, ticks: ticks)
    }

    /// A logarithmic scale from the first to the last of `ticks`, which ascend.
    static func logarithmic(_ ticks: [Double], from start: Double, to end: Double) -> Scale {
        let lower = ticks.first ?? 1
        let upper = max(ticks.last ?? 1, lower)
        return Scale(
            lower: lower, upper: upper > lower ? upper : lower * 2, start: start, end: end,
            isLogarithmic: true, ticks: ticks)
    }

    /// The place of a number; a number outside the scale goes to the nearer end, NaN to the start.
    func place(_ number: Double) -> Double {
        guard !number.isNaN else { return start }
        let inside = min(max(number, lower), upper)
        let share =
            isLogarithmic
            ? log(inside / lower) / log(upper / lower) : (inside - lower) / (upper - lower)
        return start + (end - start) * share
    }

    func ends(of interval: Interval) -> (lower: Double, upper: Double) {
        (place(interval.lower), place(interval.upper))
    }

    /// The ticks whose places are at least `distance` apart, beginning with the first.
    func ticks(apart distance: Double) -> [Double] {
        var chosen: [Double] = []
        for tick in ticks {
            if let last = chosen.last, abs(place(tick) - place(last)) < distance { continue }
            chosen.append(tick)
        }
        return chosen
    }

    /// The smallest number that is 1, 2 or 5 times a power of ten, and not below `step`.
    private static func niceStep(_ step: Double) -> Double {
        let power = pow(10, floor(log10(positive(step))))
        return [1.0, 2, 5].map { $0 * power }.first { $0 >= step * 0.999_999 } ?? 10 * power
    }

    private static func roundNumbers(_ lower: Double, _ upper: Double) -> [Double] {
        let exponents = Int(floor(log10(lower)))...Int(ceil(log10(upper)))
        return exponents.flatMap { exponent in
            // Dividing by 10 rounds once; multiplying by 0.1, itself rounded, would round twice.
            [1.0, 2, 5].map {
                exponent < 0 ? $0 / pow(10, Double(-exponent)) : $0 * pow(10, Double(exponent))
            }
        }.filter { $0 >= lower * 0.999_999 && $0 <= upper * 1.000_001 }
    }

    private static func isPowerOfTen(_ number: Double) -> Bool {
        let exponent = log10(number)
        return abs(exponent - exponent.rounded()) < 1e-9
    }

    private static func positive(_ number: Double) -> Double {
        number.isFinite ? min(max(number, 1e-12), 1e18) : 1
    }
}

/// How one contender looks in all pictures; its colour alone identifies it, and so does its mark.
struct Series: Sendable {
    private static let colorCount = 9
    private static let nameLimit = 20
    private static let patterns = [
        "none", "none", "7 3", "2 3", "8 3 2 3", "12 4", "5 2 1 2", "4 4", "1 3",
    ]
    /// The corners of each mark around its center; a circle has none.
    private static let shapes: [[(x: Double, y: Double)]] = [
        [(-3.7, -3.7), (3.7, -3.7), (3.7, 3.7), (-3.7, 3.7)], [],
        [(0, -5.2), (5.2, 0), (0, 5.2), (-5.2, 0)], [(0, -4.8), (4.8, 3.8), (-4.8, 3.8)],
        [(0, 4.8), (4.8, -3.8), (-4.8, -3.8)], [(-5, -1.8), (5, -1.8), (5, 1.8), (-5, 1.8)],
        [(-1.8, -5), (1.8, -5), (1.8, 5), (-1.8, 5)], [(4.8, 0), (-3.8, 4.8), (-3.8, -4.8)],
        [(-4.8, 0), (3.8, 4.8), (3.8, -4.8)],
    ]

    let name: String
    let index: Int

    /// One series for each contender in the results, in the order of first appearance.
    static func all(of results: [BenchResult]) -> [Series] {
        results.flatMap(\.rows).flatMap(\.figures).map(\.contender).distinct.enumerated().map {
            Series(name: $1, index: $0)
        }
    }

    /// The name, shortened if it is too long for a picture.
    var shortName: String {
        name.count <= Self.nameLimit ? name : name.prefix(Self.nameLimit - 1) + "\u{2026}"
    }

    var color: String { "s\(index % Self.colorCount)" }
    var dashes: String { Self.patterns[index % Self.patterns.count] }

    func drawMark(_ drawing: inout Drawing, at center: Drawing.Point) {
        let (corners, style) = (Self.shapes[index % Self.shapes.count], "mark " + color)
        if corners.isEmpty {
            drawing.circle(center, radius: 4, style)
        } else {
            drawing.polygon(center, corners, style)
        }
    }

    var label: Markup {
        var drawing = Drawing(width: 12, height: 12)
        drawMark(&drawing, at: .init(x: 6, y: 6))
        return Markup(
            "span", ["class": "series"], [drawing.markup("", style: "key"), Markup(name)])
    }
}

extension [Series] {
    func label(of contender: String) -> Markup {
        first { $0.name == contender }?.label ?? Markup(contender)
    }
}
