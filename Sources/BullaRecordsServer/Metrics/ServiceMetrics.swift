internal import Synchronization

/// The metrics of a service, in the text format of Prometheus.
///
/// - Source: the exposition format, version 0.0.4.
package final class ServiceMetrics: Sendable {
    /// The outcome of a request.
    package struct Outcome: Hashable, Sendable {
        /// A name such as `records/modify`; `other` if it is not a known operation.
        package let operation: String
        package let status: Int

        package init(_ operation: String, status: Int) {
            (self.operation, self.status) = (operation, status)
        }
    }

    /// Events of connections, each of which has a counter.
    package enum Event: String, CaseIterable, Sendable {
        case connections, timeouts, refusedBodies = "refused_bodies"
        case receivedBytes = "received_bytes", sentBytes = "sent_bytes"
    }

    private struct Histogram {
        var buckets = [UInt64](repeating: 0, count: ServiceMetrics.bounds.count + 1)
        var seconds = 0.0
    }

    private struct State {
        var counts: [Outcome: UInt64] = [:]
        var times: [String: Histogram] = [:]
        var events: [Event: UInt64] = [:]
        var open = 0
    }

    private static let bounds = [
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    private let state = Mutex(State())

    package init() {}

    package func note(_ outcome: Outcome, seconds: Double) {
        let place = Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count
        state.withLock { state in
            state.counts[outcome, default: 0] += 1
            state.times[outcome.operation, default: Histogram()].buckets[place] += 1
            state.times[outcome.operation, default: Histogram()].seconds += seconds
        }
    }

    package func note(_ event: Event, _ count: Int = 1) {
        state.withLock { $0.events[event, default: 0] += UInt64(max(count, 0)) }
    }

    /// Counts a connection that was opened (1) or closed (-1).
    func noteOpen(_ change: Int) { state.withLock { $0.open += change } }

    /// All metrics as text.
    ///
    /// - Parameter flight: the bytes of requests in progress.
    package func text(bytesInFlight flight: Int) -> String {
        let (counts, times, events, open) = state.withLock {
            ($0.counts, $0.times, $0.events, $0.open)
        }
        var lines: [String] = []
        func head(_ name: String, _ type: String, _ help: String) {
            lines += [
                "# HELP bulla_records_\(name) \(help)", "# TYPE bulla_records_\(name) \(type)",
            ]
        }
        head("requests_total", "counter", "Requests that were answered.")
        let outcomes = counts.sorted {
            ($0.key.operation, $0.key.status) < ($1.key.operation, $1.key.status)
        }
        for (outcome, count) in outcomes {
            lines.append(
                "bulla_records_requests_total{operation=\"\(outcome.operation)\","
                    + "status=\"\(outcome.status)\"} \(count)")
        }
        head("request_seconds", "histogram", "From a request's head to the end of its answer.")
        for (operation, histogram) in times.sorted(by: { $0.key < $1.key }) {
            lines += Self.lines(operation, histogram)
        }
        for event in Event.allCases {
            head("\(event.rawValue)_total", "counter", "Counted since the service started.")
            lines.append("bulla_records_\(event.rawValue)_total \(events[event] ?? 0)")
        }
        head("open_connections", "gauge", "Connections that are open.")
        lines.append("bulla_records_open_connections \(open)")
        head("bytes_in_flight", "gauge", "Bytes of requests that are being worked on.")
        lines.append("bulla_records_bytes_in_flight \(flight)")
        return lines.joined(separator: "\n") + "\n"
    }

    private static func lines(_ operation: String, _ histogram: Histogram) -> [String] {
        let label = "operation=\"\(operation)\""
        var total: UInt64 = 0
        var lines: [String] = []
        for (bound, count) in zip(bounds.map { "\($0)" } + ["+Inf"], histogram.buckets) {
            total += count
            lines.append("bulla_records_request_seconds_bucket{\(label),le=\"\(bound)\"} \(total)")
        }
        lines.append("bulla_records_request_seconds_sum{\(label)} \(histogram.seconds)")
        lines.append("bulla_records_request_seconds_count{\(label)} \(total)")
        return lines
    }
}
