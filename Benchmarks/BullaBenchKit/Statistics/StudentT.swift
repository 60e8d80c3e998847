internal import Glibc

/// Student's t distribution: how far the mean of few samples lies off, in units of their spread.
package enum StudentT {
    /// The number that `probability` of the distribution lies below.
    ///
    /// - Parameters:
    ///   - probability: at least one half, and less than one.
    ///   - freedom: the degrees of freedom, at least one.
    package static func quantile(_ probability: Double, freedom: Int) -> Double {
        precondition(probability >= 0.5 && probability < 1, "a quantile of the upper half")
        precondition(freedom >= 1, "there is a degree of freedom")
        let share = 2 * probability - 1
        var (below, above) = (0.0, 1.0)
        while central(above, freedom) < share { (below, above) = (above, 2 * above) }
        for _ in 0..<60 {
            let middle = (below + above) / 2
            if central(middle, freedom) < share { below = middle } else { above = middle }
        }
        return (below + above) / 2
    }

    /// How much of the distribution lies between `-bound` and `bound`.
    ///
    /// - Complexity: half as many terms as there are degrees of freedom.
    /// - Source: Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.7.3 and 26.7.4.
    private static func central(_ bound: Double, _ freedom: Int) -> Double {
        let angle = atan(bound / Double(freedom).squareRoot())
        let (sine, cosine) = (sin(angle), cos(angle))
        let isOdd = freedom % 2 == 1
        var term = isOdd ? cosine : 1
        var sum = freedom == 1 ? 0 : term
        for factor in stride(from: isOdd ? 3 : 2, through: freedom - 2, by: 2) {
            term *= cosine * cosine * Double(factor - 1) / Double(factor)
            sum += term
        }
        return isOdd ? (angle + sine * sum) * 2 / .pi : sine * sum
    }
}
