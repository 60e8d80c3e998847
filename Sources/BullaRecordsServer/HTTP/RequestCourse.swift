#if Service
internal import BullaRecords
internal import BullaRecordsWeb
internal import HTTPTypes
internal import HummingbirdCore
internal import Logging
internal import NIOCore

/// Records one request, from its head to the end of its answer, in the log and the metrics.
///
/// Neither of these contains the query, a token, a signature or a value.
struct RequestCourse {
    /// The target in the request's first line.
    let target: String
    /// The event loop of the connection.
    let loop: any EventLoop
    private let start = ContinuousClock.now
    private let metrics: ServiceMetrics
    private let logger: Logger

    init(
        _ request: Request, _ metrics: ServiceMetrics, _ logger: Logger, _ loop: any EventLoop
    ) {
        target = request.head.path ?? ""
        (self.metrics, self.logger, self.loop) = (metrics, logger, loop)
    }

    func end(status: Int, failure: WebAnswer.Failure?) {
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let known = try? RequestTarget(target)
        let operation = known?.operation.rawValue ?? Self.name(target)
        metrics.note(.init(operation, status: status), seconds: seconds)
        var facts: Logger.Metadata = [
            "operation": "\(operation)", "status": "\(status)",
            "milliseconds": "\((seconds * 100_000).rounded() / 100)",
        ]
        if let known {
            facts["container"] = "\(known.place.container)"
            facts["environment"] = "\(known.place.environment.name)"
            facts["database"] = "\(known.scope.name)"
        }
        if let failure {
            facts["uuid"] = "\(failure.identifier)"
            facts["code"] = "\(failure.error.code.rawValue)"
            if status >= 500 { facts["reason"] = "\(failure.error.reason)" }
            if let detail = failure.error.detail { facts["detail"] = "\(detail)" }
        }
        logger.log(level: status >= 500 ? .error : .info, "request", metadata: facts)
    }

    /// The name of a target that is not an operation of the web service.
    private static func name(_ target: String) -> String {
        switch WebRoute(target) {
        case .upload: "upload"
        case .download: "download"
        case .courier: "courier"
        case .operation:
            SignInDesk.serves(target) ? "sign-in" : ConsoleDesk.name(target) ?? "other"
        }
    }
}
#endif
