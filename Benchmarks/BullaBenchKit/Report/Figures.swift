/// What one contender did in one row.
package struct Figures: Codable, Sendable {
    package var contender: String
    /// In the row's unit by the second: the median over the rounds.
    package var throughput: Double
    /// The throughput of each round.
    package var rates: [Double]
    /// What was done in all slices that count, in the row's unit.
    package var work: Int
    /// Seconds of the slices that count.
    package var seconds: Double
    package var latency: Latency
    package var costs: Costs

    package init(
        contender: String, rates: [Double], work: Int, seconds: Double, latency: Latency,
        costs: Costs
    ) {
        self.contender = contender
        self.rates = rates
        self.work = work
        self.seconds = seconds
        self.latency = latency
        self.costs = costs
        throughput = rates.median ?? 0
    }

    /// Nanoseconds that so many percent of the steps did not exceed; 0 where none was counted.
    package func percentile(_ percent: Double) -> UInt64 { latency.percentile(percent) ?? 0 }
}
