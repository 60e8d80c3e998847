/// What a session tells of what it read, and when each step ended.
///
/// Times are kept as they are while a slice runs, one word each, and counted into a histogram
/// afterwards. The sum shows that what was read is what was written.
public struct Tally: Sendable {
    private var times: [UInt64]
    private var count = 0
    /// The sum of a glance at everything that was read.
    package private(set) var sum: UInt64 = 0
    /// How many records were read, how many keys had none, and the bytes of the values.
    package private(set) var seenCount = 0
    package private(set) var missedCount = 0
    package private(set) var valueByteCount = 0

    /// Room for `capacity` steps and the start.
    package init(capacity: Int) {
        times = [UInt64](repeating: 0, count: capacity + 1)
    }

    /// A value was found.
    @inline(__always)
    public mutating func saw(_ value: RawSpan) {
        sum &+= RecordHash.glance(value)
        seenCount += 1
        valueByteCount += value.byteCount
    }

    /// A record was come by in a scan.
    @inline(__always)
    public mutating func saw(_ key: RawSpan, _ value: RawSpan) {
        sum &+= RecordHash.glance(key)
        saw(value)
    }

    /// A key has no record.
    @inline(__always)
    public mutating func missed() {
        missedCount += 1
    }

    /// A step ends here.
    @inline(__always)
    public mutating func mark() {
        times[count] = Clock.now
        count += 1
    }

    /// Takes back the last mark: the step goes on.
    package mutating func unmark() {
        count -= 1
    }

    /// A step ends that took so many nanoseconds: of an engine whose time is made up.
    package mutating func mark(nanoseconds: UInt64) {
        times[count] = count > 0 ? times[count - 1] + nanoseconds : Clock.now
        count += 1
    }

    package var start: UInt64 { times.first ?? 0 }
    package var end: UInt64 { count > 0 ? times[count - 1] : 0 }

    /// How long each step took, in nanoseconds.
    package var latencies: some Sequence<UInt64> {
        zip(times[..<count], times[..<count].dropFirst()).lazy.map { $1 - $0 }
    }

    /// How long after it was due each step ended.
    ///
    /// - Parameter due: when step `n` was due, by the same clock.
    package func delays(_ due: @escaping (Int) -> UInt64) -> some Sequence<UInt64> {
        times[..<count].dropFirst().enumerated().lazy.map { index, end in
            let instant = due(index)
            return end > instant ? end - instant : 0
        }
    }
}
