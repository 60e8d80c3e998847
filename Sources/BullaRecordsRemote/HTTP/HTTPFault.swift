#if Remote
internal import AsyncHTTPClient
internal import BullaRecords
internal import NIOPosix
internal import NIOSSL

/// Errors of HTTP, as errors of the record layer.
enum HTTPFault {
    /// The record layer's error for an error of HTTP; no message contains the request's address.
    static func error(_ error: any Error) -> RecordError {
        switch error {
        case let error as RecordError: return error
        case is ResponseAccumulator.ResponseTooBigError:
            return RecordError(.internalError, "use a service: its answer is too large")
        case is NIOConnectionError:
            return unreachable("no connection can be made")
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            return unreachable("its certificate does not prove its name, or TLS has failed")
        case let error as HTTPClientError where unsent.contains(error):
            return unreachable("no connection can be made in time")
        default:
            return RecordError(
                .interrupted, "use a service: the connection broke before the answer came")
        }
    }

    /// The errors of requests that got no connection.
    private static let unsent: [HTTPClientError] = [
        .connectTimeout, .getConnectionFromPoolTimeout, .alreadyShutdown,
    ]

    private static func unreachable(_ reason: String) -> RecordError {
        RecordError(.unreachable, "use a service: \(reason)")
    }
}
#endif
