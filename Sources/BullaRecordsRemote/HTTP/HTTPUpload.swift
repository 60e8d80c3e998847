#if Remote
internal import AsyncHTTPClient
internal import BullaRecords
internal import BullaRecordsWeb
internal import NIOCore
internal import Synchronization

/// A file that is being sent; dropping this object without ``finish()`` cancels the request.
final class HTTPUpload: RemoteUpload {
    private let writer: UploadWriter
    private let task: HTTPClient.Task<HTTPClient.Response>

    init(_ writer: UploadWriter, _ task: HTTPClient.Task<HTTPClient.Response>) {
        (self.writer, self.task) = (writer, task)
        // End the writer with the request: if the request ends before the connection wants the
        // file, no part can be written any more, and `write` would wait forever.
        task.futureResult.whenComplete { _ in writer.end() }
    }

    deinit {
        if !writer.isOver { task.cancel() }
        writer.end()
    }

    func append(_ bytes: ArraySlice<UInt8>) throws(RecordError) {
        do { try writer.write(ByteBuffer(bytes: bytes)) } catch {
            // The request has ended already: the service's answer says why.
            let answer = try finish()
            _ = try answer.checked()
            throw RecordError(.interrupted, "send a file: the service does not take all of it")
        }
    }

    func finish() throws(RecordError) -> RemoteAnswer {
        writer.end()
        do { return RemoteAnswer(try task.wait()) } catch { throw HTTPFault.error(error) }
    }
}

/// Passes the parts of a file from the thread that has them to the connection.
final class UploadWriter: Sendable {
    private enum Step {
        case waiting
        case open(HTTPClient.Body.StreamWriter)
        case over
    }

    private struct Ended: Error {}

    private let step = Mutex(Step.waiting)
    /// Done when the connection wants the first part, or the upload ends before that.
    private let begun: EventLoopPromise<Void>
    /// Done when the last part is written, or the upload is given up.
    private let ended: EventLoopPromise<Void>

    init(_ loop: any EventLoop) {
        begun = loop.makePromise()
        ended = loop.makePromise()
    }

    /// The body of the request.
    var body: HTTPClient.Body {
        .stream { [self] writer in
            step.withLock { if case .waiting = $0 { $0 = .open(writer) } }
            begun.succeed()
            return ended.futureResult
        }
    }

    var isOver: Bool {
        step.withLock { if case .over = $0 { true } else { false } }
    }

    /// Writes a part, and waits until the connection has taken it.
    func write(_ part: ByteBuffer) throws {
        try begun.futureResult.wait()
        let writer = try step.withLock { step in
            guard case .open(let writer) = step else { throw Ended() }
            return writer
        }
        try writer.write(.byteBuffer(part)).wait()
    }

    func end() {
        let former = step.withLock { step in
            defer { step = .over }
            return step
        }
        if case .over = former { return }
        begun.succeed()
        ended.succeed()
    }
}
#endif
