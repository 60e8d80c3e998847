#if Service
internal import BullaRecordsWeb
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// Closes a connection whose client takes too long to set up TLS, to send the head or the body of a
/// request, to read an answer, or to begin its next request.
///
/// If the deadline for the first request or for the rest of a request passes before any part of an
/// answer has been sent, this handler tells the client that the request took too long, and then
/// closes the connection. If the client has not read the whole answer, closing the connection drops
/// the rest of the answer.
///
/// This handler sets no deadline while the service works on a request: everything that the service
/// then waits for has a deadline of its own.
final class ConnectionDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let timeouts: ServiceTimeouts
    private let metrics: ServiceMetrics
    private var pending: Scheduled<Void>?
    /// The deadline for the whole upload of a file, or for a whole answer.
    private var end: Scheduled<Void>?
    /// Whether an asset is being received, so that each arrival of bytes restarts the deadline.
    private var isTransfer = false
    private var isRequestWhole = false
    /// Whether no part of an answer has been sent since the last request began or, before the first
    /// request, since the connection was opened.
    private var isAnswerDue = true
    /// Whether the service has begun an answer that the client has not yet read to its end.
    private var isAnswerUnderWay: Bool { isRequestWhole && end != nil }

    init(_ timeouts: ServiceTimeouts, _ metrics: ServiceMetrics) {
        (self.timeouts, self.metrics) = (timeouts, metrics)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        metrics.note(.connections)
        metrics.noteOpen(1)
        arm(timeouts.header, context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        pending?.cancel()
        end?.cancel()
        metrics.noteOpen(-1)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            (isRequestWhole, isAnswerDue) = (false, true)
            isTransfer = WebRoute(head.path ?? "") == .upload
            arm(isTransfer ? timeouts.transfer : timeouts.body, context)
            if isTransfer { end = closing(in: timeouts.whole, context) }
        case .body(let bytes):
            metrics.note(.receivedBytes, bytes.readableBytes)
            if isTransfer { arm(timeouts.transfer, context) }
        case .end:
            isRequestWhole = true
            pending?.cancel()
            end?.cancel()
            end = nil
        }
        context.fireChannelRead(data)
    }

    func write(
        context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
    ) {
        let part = unwrapOutboundIn(data)
        if case .head(let head) = part {
            // An informational response is not an answer: it only tells the client to continue.
            guard head.status.kind != .informational else {
                context.write(data, promise: promise)
                return
            }
            isAnswerDue = false
        }
        if case .body(let bytes) = part { metrics.note(.sentBytes, bytes.readableBytes) }
        guard isRequestWhole else {
            // The request was refused before its whole body arrived: the deadline for the body
            // still applies, and from now on a file gets no more time than any other body.
            if isTransfer {
                isTransfer = false
                arm(timeouts.body, context)
            }
            context.write(data, promise: promise)
            return
        }
        arm(timeouts.transfer, context)
        if end == nil { end = closing(in: timeouts.whole, context) }
        guard case .end = part else {
            context.write(data, promise: promise)
            return
        }
        let written = promise ?? context.eventLoop.makePromise()
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        written.futureResult.whenSuccess {
            let (handler, context) = bound.value
            handler.end?.cancel()
            handler.end = nil
            handler.arm(handler.timeouts.idle, context)
        }
        context.write(data, promise: written)
    }

    private func arm(_ seconds: Int, _ context: ChannelHandlerContext) {
        pending?.cancel()
        pending = closing(in: seconds, context)
    }

    private func closing(
        in seconds: Int, _ context: ChannelHandlerContext
    ) -> Scheduled<Void> {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        return context.eventLoop.scheduleTask(in: .seconds(Int64(seconds))) {
            let (handler, context) = bound.value
            handler.metrics.note(.timeouts)
            if handler.isAnswerDue { handler.sendRefusal(context) }
            if handler.isAnswerUnderWay { context.channel.dropUnsentBytesAtClose() }
            context.channel.close(promise: nil)
        }
    }

    /// Tells the client that the request took too long; before TLS is set up, the client does not
    /// get this answer.
    private func sendRefusal(_ context: ChannelHandlerContext) {
        isAnswerDue = false
        let answer = WebAnswer(
            WebError(.badRequest, "the request did not arrive in time", status: 408))
        var fields = HTTPFields(answer.headers)
        fields[.contentLength] = String(answer.body.count)
        fields[.connection] = "close"
        let head = HTTPResponse(status: .init(code: answer.status), headerFields: fields)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(
            wrapOutboundOut(.body(context.channel.allocator.buffer(bytes: answer.body))),
            promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
#endif
