#if Service
internal import BullaRecordsWeb
internal import HTTPTypes
internal import HummingbirdCore
internal import NIOCore
internal import Synchronization

/// Reports the state of the service to operators, on a separate address.
///
///     GET /health/live    200 as long as the process answers
///     GET /health/ready   200 while the service accepts requests, otherwise 503
///     GET /metrics        the service's metrics, for Prometheus
struct AdminFront: Sendable {
    let metrics: ServiceMetrics
    let budget: FlightBudget
    let readiness: Readiness

    @Sendable
    func respond(
        to request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel
    ) async throws {
        let (status, text) = answer(request.method, request.head.path ?? "")
        var fields = HTTPFields([])
        fields[.contentType] = "text/plain; version=0.0.4; charset=utf-8"
        fields[.contentLength] = String(text.utf8.count)
        try await writer.write(
            response: HTTPResponse(status: status, headerFields: fields),
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    private func answer(
        _ method: HTTPRequest.Method, _ target: String
    ) -> (HTTPResponse.Status, String) {
        guard method == .get else { return (.methodNotAllowed, "use GET\n") }
        switch target {
        case "/health/live": return (.ok, "alive\n")
        case "/health/ready":
            return readiness.isReady
                ? (.ok, "ready\n") : (.serviceUnavailable, "not ready\n")
        case "/metrics": return (.ok, metrics.text(bytesInFlight: budget.usedByteCount))
        default: return (.notFound, "there is nothing at this path\n")
        }
    }
}

/// Whether the service accepts requests.
final class Readiness: Sendable {
    private let state = Atomic(false)

    var isReady: Bool { state.load(ordering: .acquiring) }

    func set(_ isReady: Bool) { state.store(isReady, ordering: .releasing) }
}
#endif
