/// The times at which the steps of one slice ended.
///
/// Kept as they are while the slice runs, one word each, and counted into a histogram afterwards.
struct Stamps {
    private var times: [UInt64]
    private var count = 0

    /// Room for `capacity` steps and the start.
    init(capacity: Int) {
        times = [UInt64](repeating: 0, count: capacity + 1)
    }

    @inline(__always)
    mutating func mark() {
        times[count] = Clock.now
        count += 1
    }

    var start: UInt64 { times.first ?? 0 }
    var end: UInt64 { count > 0 ? times[count - 1] : 0 }

    /// How long each step took, in nanoseconds.
    var latencies: some Sequence<UInt64> {
        zip(times[..<count], times[..<count].dropFirst()).lazy.map { $1 - $0 }
    }
}
