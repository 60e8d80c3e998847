#if Remote
internal import AsyncHTTPClient
internal import BullaRecordsWeb
internal import Foundation
internal import NIOCore
internal import NIOHTTP1

/// Receives a file part by part: after each part, the connection waits until the part is taken.
///
/// `@unchecked`: the condition guards all that changes.
final class DownloadedParts: HTTPClientResponseDelegate, @unchecked Sendable {
    typealias Response = RemoteAnswer

    private let condition = NSCondition()
    private let errorByteLimit: Int
    private var head: HTTPResponseHead?
    private var parts: [(ByteBuffer, EventLoopPromise<Void>)] = []
    private var errorBody: [UInt8] = []
    private var isOver = false

    /// - Parameter errorByteLimit: how much is kept of an answer that is not a file.
    init(_ errorByteLimit: Int) { self.errorByteLimit = errorByteLimit }

    private func locked<R>(_ body: () -> R) -> R {
        condition.lock()
        defer { condition.unlock() }
        return body()
    }

    /// The next part; `nil` at the end, and for an answer that is not a file.
    func next() -> ByteBuffer? {
        let taken: (ByteBuffer, EventLoopPromise<Void>)? = locked {
            while parts.isEmpty, !isOver { condition.wait() }
            return parts.isEmpty ? nil : parts.removeFirst()
        }
        taken?.1.succeed()
        return taken?.0
    }

    /// Drops what is left.
    func end() {
        let left = locked {
            defer { parts = [] }
            isOver = true
            condition.signal()
            return parts
        }
        for (_, promise) in left { promise.succeed() }
    }

    func didReceiveHead(
        task: HTTPClient.Task<Response>, _ head: HTTPResponseHead
    ) -> EventLoopFuture<Void> {
        locked { self.head = head }
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(
        task: HTTPClient.Task<Response>, _ buffer: ByteBuffer
    ) -> EventLoopFuture<Void> {
        let promise = task.eventLoop.makePromise(of: Void.self)
        let waits = locked {
            guard head?.status == .ok, !isOver else {
                let room = errorByteLimit - errorBody.count
                errorBody += buffer.readableBytesView.prefix(max(room, 0))
                return false
            }
            parts.append((buffer, promise))
            condition.signal()
            return true
        }
        if !waits { promise.succeed() }
        return promise.futureResult
    }

    func didFinishRequest(task: HTTPClient.Task<Response>) throws -> RemoteAnswer {
        let answer = locked {
            RemoteAnswer(
                status: Int(head?.status.code ?? 0),
                headers: head?.headers.map { WebHeader($0, $1) } ?? [], body: errorBody)
        }
        finish()
        return answer
    }

    func didReceiveError(task: HTTPClient.Task<Response>, _ error: any Error) { finish() }

    /// Ends the file; the parts that have arrived can still be taken.
    private func finish() {
        locked {
            isOver = true
            condition.signal()
        }
    }
}
#endif
