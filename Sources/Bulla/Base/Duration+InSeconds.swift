extension Duration {
    /// The duration in seconds; at most 1e8, about three years.
    var inSeconds: Double {
        let (seconds, attoseconds) = components
        return min(Double(seconds) + Double(attoseconds) / 1e18, 1e8)
    }
}
