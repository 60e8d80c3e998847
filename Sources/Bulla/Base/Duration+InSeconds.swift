extension Duration {
    /// Seconds, for interfaces that count so; at most about three years.
    var inSeconds: Double {
        let (seconds, attoseconds) = components
        return min(Double(seconds) + Double(attoseconds) / 1e18, 1e8)
    }
}
