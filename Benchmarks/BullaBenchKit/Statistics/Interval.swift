/// A median, and between what the true one lies with 95 % confidence.
package struct Interval: Codable, Sendable, Equatable {
    package let lower: Double
    package let median: Double
    package let upper: Double

    package init(lower: Double, median: Double, upper: Double) {
        precondition(lower <= median && median <= upper, "a median lies inside its interval")
        self.lower = lower
        self.median = median
        self.upper = upper
    }

    package func contains(_ number: Double) -> Bool {
        lower <= number && number <= upper
    }
}
