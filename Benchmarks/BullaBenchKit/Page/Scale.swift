internal import Foundation

/// Where a number stands along an axis.
struct Scale: Sendable {
    let lower: Double
    let upper: Double
    /// Where `lower` and `upper` stand, in units of a drawing.
    let start: Double
    let end: Double
    let isLogarithmic: Bool
    let ticks: [Double]

    /// From zero to a little more than `greatest`, which the last tick is not below.
    static func linear(to greatest: Double, from start: Double, to end: Double) -> Scale {
        let greatest = greatest.isFinite && greatest > 0 ? greatest : 1
        let step = niceStep(greatest / 5)
        let count = Int((greatest / step).rounded(.up))
        return Scale(
            lower: 0, upper: step * Double(count), start: start, end: end, isLogarithmic: false,
            ticks: (0...count).map { Double($0) * step })
    }

    /// From at most `least` to at least `greatest`, both rounded to 1, 2 or 5 times a power of ten.
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

    /// Ratios around one: logarithmic, so that twice and half as long lie equally far from it.
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

    /// A scale whose ticks are known.
    static func logarithmic(
        _ lower: Double, _ upper: Double, from start: Double, to end: Double, ticks: [Double]
    ) -> Scale {
        let upper = upper > lower ? upper : lower * 2
        return Scale(
            lower: lower, upper: upper, start: start, end: end, isLogarithmic: true, ticks: ticks)
    }

    /// Numbers outside the scale stand at its end, what is no number at its start.
    func place(_ number: Double) -> Double {
        guard !number.isNaN else { return start }
        let inside = min(max(number, lower), upper)
        let share =
            isLogarithmic
            ? log(inside / lower) / log(upper / lower) : (inside - lower) / (upper - lower)
        return start + (end - start) * share
    }

    /// Those ticks whose places are at least `distance` apart, from the first on.
    func ticks(apart distance: Double) -> [Double] {
        var chosen: [Double] = []
        for tick in ticks {
            if let last = chosen.last, abs(place(tick) - place(last)) < distance { continue }
            chosen.append(tick)
        }
        return chosen
    }

    /// The smallest of 1, 2 and 5 times a power of ten that is not below `step`.
    private static func niceStep(_ step: Double) -> Double {
        let power = pow(10, floor(log10(positive(step))))
        return [1.0, 2, 5].map { $0 * power }.first { $0 >= step * 0.999_999 } ?? 10 * power
    }

    private static func roundNumbers(_ lower: Double, _ upper: Double) -> [Double] {
        let exponents = Int(floor(log10(lower)))...Int(ceil(log10(upper)))
        return exponents.flatMap { exponent in
            // A quotient, where the power is below one, is the number nearest to the decimal.
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
