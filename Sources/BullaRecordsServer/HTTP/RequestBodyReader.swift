#if Service
internal import BullaRecordsWeb
internal import HTTPTypes
internal import HummingbirdCore
internal import NIOCore

/// Reads the body of a request, within the memory budget.
struct RequestBodyReader {
    enum Outcome {
        case bytes([UInt8])
        case refused(WebAnswer)
    }

    private let budget: FlightBudget
    private let limit: Int

    init(_ budget: FlightBudget, limit: Int) { (self.budget, self.limit) = (budget, limit) }

    /// - Returns: the body or a refusal, and how many bytes the caller must give back to the
    ///   budget.
    func read(
        _ request: Request
    ) async throws -> (outcome: Outcome, reservedByteCount: Int) {
        let said = request.headers[.contentLength].flatMap { Int($0) } ?? 0
        guard said <= limit else { return (.refused(.tooLarge(limit)), 0) }
        var bytes: [UInt8] = []
        do {
            // Nothing is reserved for the announced length: only bytes that have arrived count.
            for try await part in request.body {
                guard bytes.count + part.readableBytes <= limit else {
                    return (.refused(.tooLarge(limit)), bytes.count)
                }
                guard budget.take(part.readableBytes) else {
                    return (.refused(.busy), bytes.count)
                }
                bytes.append(contentsOf: part.readableBytesView)
            }
        } catch {
            budget.give(bytes.count)
            throw error
        }
        return (.bytes(bytes), bytes.count)
    }
}

extension WebAnswer {
    fileprivate static func tooLarge(_ limit: Int) -> WebAnswer {
        WebAnswer(
            WebError(.badRequest, "the request has more than \(limit) bytes", status: 413))
    }

    static var busy: WebAnswer {
        WebAnswer(
            WebError(.tryAgainLater, "too many requests are in progress", retryAfter: 1))
    }
}
#endif
