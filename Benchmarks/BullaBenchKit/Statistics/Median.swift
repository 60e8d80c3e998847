extension Collection<Double> {
    /// The middle of the sorted numbers, or the mean of the two in the middle; nil of none.
    package var median: Double? {
        isEmpty ? nil : sorted().quantile(0.5)
    }
}

extension [Double] {
    /// The `share` quantile of ascending numbers, interpolated between neighbours.
    package func quantile(_ share: Double) -> Double {
        precondition(!isEmpty && share >= 0 && share <= 1, "a quantile of some numbers")
        let place = share * Double(count - 1)
        let below = Int(place)
        let above = Swift.min(below + 1, count - 1)
        return self[below] + (self[above] - self[below]) * (place - Double(below))
    }
}
