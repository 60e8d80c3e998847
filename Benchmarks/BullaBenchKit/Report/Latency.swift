internal import Histogram

/// Latencies in nanoseconds, counted in a high dynamic range histogram: three significant digits,
/// up to an hour.
package struct Latency: Codable, Sendable, Equatable {
    private static let greatest: UInt64 = 3_600_000_000_000
    /// Of what is read.
    private static let countLimit: UInt64 = 1 << 50

    private var histogram: Histogram<UInt64>

    package init() {
        histogram = Histogram(
            highestTrackableValue: Self.greatest, numberOfSignificantValueDigits: .three)
    }

    package var count: UInt64 { histogram.totalCount }

    package mutating func record(_ nanoseconds: UInt64, count: UInt64 = 1) {
        histogram.record(min(nanoseconds, Self.greatest), count: count)
    }

    /// Adds what another counted: exactly as if all had been counted in one.
    package mutating func merge(_ other: Self) {
        histogram.add(other.histogram)
    }

    /// The latency that `percent` of all do not exceed; nil where nothing was counted.
    package func percentile(_ percent: Double) -> UInt64? {
        count == 0 ? nil : histogram.valueAtPercentile(percent)
    }

    /// As `[[nanoseconds, count], ...]`, ascending, without what was never seen.
    package init(from decoder: any Decoder) throws {
        self.init()
        for pair in try [[UInt64]](from: decoder) {
            // More than that cannot have been counted, and two of them must not overflow.
            guard pair.count == 2, pair[1] <= Self.countLimit, count <= Self.countLimit else {
                throw DecodingError.dataCorrupted(
                    .init(
                        codingPath: decoder.codingPath,
                        debugDescription: "no pair of nanoseconds and a count"))
            }
            record(pair[0], count: pair[1])
        }
    }

    package func encode(to encoder: any Encoder) throws {
        // A bucket is told by its greatest value, but the last one by what was really seen there:
        // the highest percentiles are clamped to it.
        let greatest = histogram.maxRecorded
        try histogram.recordedValues().map { [min($0.value, greatest), $0.count] }
            .encode(to: encoder)
    }
}
