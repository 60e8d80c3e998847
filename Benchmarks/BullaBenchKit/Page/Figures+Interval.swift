extension Figures {
    /// Between what the true throughput lies with 95 % confidence, in so many units by the second.
    func interval(scale: Double) -> Interval? {
        var bootstrap = Bootstrap(seed: 1)
        return bootstrap.interval(ofMedian: rates.filter(\.isFinite).map { [$0 / scale] })
    }
}
