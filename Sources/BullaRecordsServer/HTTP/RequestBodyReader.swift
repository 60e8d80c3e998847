#if Service
internal import BullaRecordsWeb
internal import HTTPTypes
internal import HummingbirdCore
internal import NIOCore

/// Reads the body of a request, as far as there is room for it.
struct RequestBodyReader {
    enum Outcome {
        case bytes([UInt8])
        case refused(WebAnswer)
    }

    private let budget: FlightBudget
    private let limit: Int

    init(_ budget: FlightBudget, limit: Int) { (self.budget, self.limit) = (budget, limit) }

    /// - Returns: what came, and how many bytes of the budget are to be given back.
    func read(
        _ request: Request
    ) async throws -> (outcome: Outcome, reservedByteCount: Int) {
        let said = request.headers[.contentLength].flatMap { Int($0) } ?? 0
        guard said <= limit else { return (.refused(.tooLarge(limit)), 0) }
        guard budget.take(said) else { return (.refused(.busy), 0) }
        var (reserved, bytes) = (said, [UInt8]())
        do {
            // The length that the client claims takes no memory before its bytes are there.
            for try await part in request.body {
                let count = bytes.count + part.readableBytes
                let more = max(count - reserved, 0)
                guard count <= limit else { return (.refused(.tooLarge(limit)), reserved) }
                guard budget.take(more) else { return (.refused(.busy), reserved) }
                reserved += more
                bytes.append(contentsOf: part.readableBytesView)
            }
        } catch {
            budget.give(reserved)
            throw error
        }
        return (.bytes(bytes), reserved)
    }
}

extension WebAnswer {
    fileprivate static func tooLarge(_ limit: Int) -> WebAnswer {
        WebAnswer(
            WebError(.badRequest, "the request has more than \(limit) bytes", status: 413))
    }

    static var busy: WebAnswer {
        WebAnswer(
            WebError(.tryAgainLater, "too much is being worked on at this moment", retryAfter: 1))
    }
}
#endif
