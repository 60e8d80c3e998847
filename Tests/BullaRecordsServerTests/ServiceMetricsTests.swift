import BullaRecordsServer
import Testing

@Suite("What the service counts")
struct ServiceMetricsTests {
    @Test("Requests are counted by operation and status, their times in buckets that add up")
    func requests() {
        let metrics = ServiceMetrics()
        metrics.note(.init("records/query", status: 200), seconds: 0.0004)
        metrics.note(.init("records/query", status: 200), seconds: 0.02)
        metrics.note(.init("records/query", status: 400), seconds: 60)
        metrics.note(.timeouts)
        metrics.note(.sentBytes, 70)
        metrics.note(.sentBytes, 7)
        let lines = metrics.text(bytesInFlight: 5).split(separator: "\n")
        for line in [
            #"bulla_records_requests_total{operation="records/query",status="200"} 2"#,
            #"bulla_records_requests_total{operation="records/query",status="400"} 1"#,
            #"bulla_records_request_seconds_bucket{operation="records/query",le="0.001"} 1"#,
            #"bulla_records_request_seconds_bucket{operation="records/query",le="0.025"} 2"#,
            #"bulla_records_request_seconds_bucket{operation="records/query",le="10.0"} 2"#,
            #"bulla_records_request_seconds_bucket{operation="records/query",le="+Inf"} 3"#,
            #"bulla_records_request_seconds_count{operation="records/query"} 3"#,
            "bulla_records_timeouts_total 1", "bulla_records_sent_bytes_total 77",
            "bulla_records_connections_total 0", "bulla_records_bytes_in_flight 5",
        ] {
            #expect(lines.contains(Substring(line)))
        }
        for line in lines where !line.hasPrefix("#") {
            #expect(line.split(separator: " ").count == 2)
        }
    }
}
