#if Service
internal import BullaRecordsWeb
internal import HTTPTypes
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOPosix

/// Receives requests from connections, passes them on to be answered, and sends the answers.
///
/// The web service, the sign-in desk and the console can block while they answer, so they run on
/// threads of their own. They get complete requests, except that files are passed on in pieces.
struct HTTPFront: Sendable {
    let service: WebService
    let desk: SignInDesk
    /// `nil` if the settings turn it off.
    let console: ConsoleDesk?
    let courier: WebCourier
    /// The longest time without an event or a comment, for a client that asked for events; less
    /// than the limit for a silent connection.
    let eventInterval: Duration
    let limits: ServiceLimits
    let budget: FlightBudget
    /// Limits the number of files in transit.
    let transfers: FlightBudget
    let metrics: ServiceMetrics
    let workers: NIOThreadPool
    let logger: Logger

    @Sendable
    func respond(
        to request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel
    ) async throws {
        let course = RequestCourse(request, metrics, logger, channel.eventLoop)
        if request.headers[.expect]?.lowercased() == "100-continue" {
            try await writer.writeInformationalHead(HTTPResponse(status: .continue))
        }
        switch WebRoute(course.target) {
        case .operation: try await operate(request, writer, course)
        case .upload: try await upload(request, writer, course)
        case .download: try await download(request, writer, course)
        case .courier: try await wait(request, writer, course)
        }
    }

    /// Answers as soon as something has changed, or when the time for waiting is over, and then
    /// closes the connection; a client that asks for events gets events instead.
    private func wait(
        _ request: Request, _ writer: consuming ResponseWriter, _ course: RequestCourse
    ) async throws {
        let (asked, wait) = (WebRequest(request, course.target), CourierWait())
        guard !CourierEvent.isWanted(by: asked) else {
            return try await sendEvents(request, asked, writer, course)
        }
        let found = try await request.body.consumeWithInboundCloseHandler { _ in
            await wait.answer(asked, courier, workers)
        } onInboundClosed: {
            wait.end()
        }
        try await answer(found, writer, course)
    }

    /// Sends an event for each change, until the client is gone, its token expires, or the service
    /// ends.
    private func sendEvents(
        _ request: Request, _ asked: WebRequest, _ writer: consuming ResponseWriter,
        _ course: RequestCourse
    ) async throws {
        let refusal = try await workers.runIfActive { courier.refusal(of: asked) }
        if let refusal { return try await answer(refusal, writer, course) }
        defer { course.end(status: 200, failure: nil) }
        let wait = CourierWait()
        let subscriber = try WebCourier.Subscriber(interval: eventInterval)
        var body = try await writer.writeHead(
            HTTPResponse(status: .ok, headerFields: HTTPFields(CourierEvent.headers)))
        try await request.body.consumeWithInboundCloseHandler { _ in
            while !wait.isOver {
                let found = await wait.answer(asked, as: subscriber, courier, workers)
                guard let event = CourierEvent.bytes(found) else { break }
                try await body.write(ByteBuffer(bytes: event))
            }
        } onInboundClosed: {
            wait.end()
        }
        try await body.finish(nil)
    }

    private func operate(
        _ request: Request, _ writer: consuming ResponseWriter, _ course: RequestCourse
    ) async throws {
        let isForDesk = SignInDesk.serves(course.target)
        let console = ConsoleDesk.serves(course.target) ? console : nil
        let limit =
            isForDesk || console != nil ? SignInDesk.requestByteCount : limits.requestByteCount
        let body = try await RequestBodyReader(budget, limit: limit).read(request)
        defer { budget.give(body.reservedByteCount) }
        switch body.outcome {
        case .refused(let refusal):
            metrics.note(.refusedBodies)
            try await answer(refusal, writer, course)
        case .bytes(let bytes):
            let asked = WebRequest(request, course.target, body: bytes)
            let found = try await workers.runIfActive {
                if let console { return console.answer(asked) }
                return isForDesk ? desk.answer(asked) : service.answer(asked)
            }
            try await answer(found, writer, course)
        }
    }

    /// Receives a file as it arrives, with only a few chunks of it in memory.
    private func upload(
        _ request: Request, _ writer: consuming ResponseWriter, _ course: RequestCourse
    ) async throws {
        guard transfers.take(1) else { return try await answer(.busy, writer, course) }
        defer { transfers.give(1) }
        let asked = WebRequest(request, course.target)
        let found: WebAnswer
        do {
            let upload = try await workers.runIfActive { try service.beginUpload(asked) }
            for try await part in request.body {
                let bytes = Array(part.readableBytesView)
                try await workers.runIfActive { try upload.append(bytes[...]) }
            }
            found = try await workers.runIfActive { upload.finish() }
        } catch let error as WebError {
            found = WebAnswer(error)
        }
        try await answer(found, writer, course)
    }

    /// Sends a file chunk by chunk; cuts the connection at a damaged chunk, so that no client takes
    /// the file for complete.
    private func download(
        _ request: Request, _ writer: consuming ResponseWriter, _ course: RequestCourse
    ) async throws {
        guard transfers.take(1) else { return try await answer(.busy, writer, course) }
        defer { transfers.give(1) }
        let asked = WebRequest(request, course.target)
        let found: WebDownload
        do {
            found = try await workers.runIfActive { try service.download(asked) }
        } catch let error as WebError {
            return try await answer(WebAnswer(error), writer, course)
        }
        defer { course.end(status: found.status, failure: nil) }
        var fields = HTTPFields(found.headers)
        fields[.contentLength] = String(found.byteCount)
        var body = try await writer.writeHead(
            HTTPResponse(status: .init(code: found.status), headerFields: fields))
        for index in 0..<found.chunkCount {
            let chunk = try await workers.runIfActive { try found.chunk(index) }
            try await body.write(inPieces: chunk, course.loop)
        }
        try await body.finish(nil)
    }

    private func answer(
        _ answer: WebAnswer, _ writer: consuming ResponseWriter, _ course: RequestCourse
    ) async throws {
        // A client that is gone gets no answer, but its request is logged.
        defer { course.end(status: answer.status, failure: answer.failure) }
        var fields = HTTPFields(answer.headers)
        fields[.contentLength] = String(answer.body.count)
        let head = HTTPResponse(status: .init(code: answer.status), headerFields: fields)
        if answer.body.count <= pieceByteCount {
            try await writer.write(
                response: head, body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
        } else {
            var body = try await writer.writeHead(head)
            try await body.write(inPieces: answer.body[...], course.loop)
            try await body.finish(nil)
        }
    }
}

/// The number of bytes that are passed to a connection at once.
///
/// So a slow client gets the time ``ServiceTimeouts/transfer`` for each piece of this size, rather
/// than only once for the whole answer.
private let pieceByteCount = 64 << 10

extension ResponseBodyWriter {
    /// Writes bytes piece by piece, as fast as the client reads them.
    ///
    /// - Parameter loop: the connection's event loop.
    fileprivate mutating func write(
        inPieces bytes: ArraySlice<UInt8>, _ loop: any EventLoop
    ) async throws {
        var rest = bytes
        while !rest.isEmpty {
            let piece = rest.prefix(pieceByteCount)
            try await write(ByteBuffer(bytes: piece))
            // A write returns before the event loop has processed it, and before it is known
            // whether the client keeps up. So wait for the loop: after that, the next write waits
            // if the client does not keep up.
            try await loop.submit {}.get()
            rest = rest.dropFirst(piece.count)
        }
    }
}

extension HTTPFields {
    /// An answer's own headers, and those that every answer has: nobody may cache an answer or
    /// guess another content type, and a browser must use TLS for all later requests.
    init(_ headers: [WebHeader]) {
        self = [
            .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
            .strictTransportSecurity: "max-age=31536000",
        ]
        for header in headers {
            guard let name = HTTPField.Name(header.name) else { continue }
            self[name] = header.value
        }
    }
}

extension WebRequest {
    init(_ request: Request, _ target: String, body: [UInt8] = []) {
        self.init(
            request.method.rawValue, target,
            headers: request.headers.map { WebHeader($0.name.rawName, $0.value) }, body: body)
    }
}
#endif
