#if Remote
internal import AsyncHTTPClient
internal import BullaRecords
internal import BullaRecordsWeb
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
internal import Synchronization

/// Carries requests over HTTP/1.1, on a few connections that it keeps.
///
/// It follows no redirection, and decompresses nothing. It logs nothing, because a request's target
/// holds tokens.
final class HTTPTransport: RemoteTransport {
    private let address: RemoteAddress
    private let client: HTTPClient
    private let limits: HTTPLimits
    private let isClosed = Atomic(false)

    /// - Parameter authorities: a PEM file; `nil` for the authorities that this machine trusts.
    /// - Throws: `invalidArguments` if the file cannot be read.
    init(
        _ address: RemoteAddress, authorities: String?, limits: HTTPLimits = HTTPLimits()
    ) throws(RecordError) {
        (self.address, self.limits) = (address, limits)
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let authorities {
            do {
                tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(authorities))
            } catch {
                throw RecordError(
                    .invalidArguments, "use a service: its authorities cannot be read as PEM")
            }
        }
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: .init(connect: limits.connecting, read: limits.silence, write: limits.silence),
            decompression: .disabled)
        configuration.httpVersion = .http1Only
        configuration.connectionPool.idleTimeout = limits.idle
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit =
            limits.connectionCount
        // A request that fails to connect fails at once: `RemotePatience` decides whether to try it
        // again.
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    deinit { close() }

    func close() {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        client.shutdown { _ in }
    }

    func send(_ request: WebRequest) throws(RecordError) -> RemoteAnswer {
        do {
            let asked = try httpRequest(
                request.method, request.target, request.headers,
                .byteBuffer(ByteBuffer(bytes: request.body)))
            let answer = ResponseAccumulator(
                request: asked, maxBodySize: limits.answerByteCount)
            let task = try execute(asked, answer)
            return RemoteAnswer(try task.wait())
        } catch { throw HTTPFault.error(error) }
    }

    func download(
        _ target: String, _ body: (ArraySlice<UInt8>) throws -> Void
    ) throws -> RemoteAnswer {
        let parts = DownloadedParts(limits.errorByteCount)
        let task: HTTPClient.Task<RemoteAnswer>
        do {
            task = try execute(httpRequest("GET", target, [], nil), parts)
        } catch { throw HTTPFault.error(error) }
        do {
            while let part = parts.next() { try body(ArraySlice(part.readableBytesView)) }
        } catch {
            task.cancel()
            parts.end()
            throw error
        }
        do { return try task.wait() } catch { throw HTTPFault.error(error) }
    }

    func beginUpload(to target: String) throws(RecordError) -> any RemoteUpload {
        let writer = UploadWriter(client.eventLoopGroup.next())
        do {
            let asked = try httpRequest(
                "PUT", target, [WebHeader("Content-Type", "application/octet-stream")],
                writer.body)
            let answer = ResponseAccumulator(
                request: asked, maxBodySize: limits.answerByteCount)
            return HTTPUpload(writer, try execute(asked, answer))
        } catch { throw HTTPFault.error(error) }
    }

    private func httpRequest(
        _ method: String, _ target: String, _ headers: [WebHeader], _ body: HTTPClient.Body?
    ) throws -> HTTPClient.Request {
        try HTTPClient.Request(
            url: address.base + target, method: HTTPMethod(rawValue: method),
            headers: HTTPHeaders(headers.map { ($0.name, $0.value) }), body: body)
    }

    /// - Throws: `unreachable` after ``close()``.
    private func execute<D: HTTPClientResponseDelegate>(
        _ request: HTTPClient.Request, _ delegate: D
    ) throws -> HTTPClient.Task<D.Response> {
        guard !isClosed.load(ordering: .acquiring) else {
            throw RecordError(.unreachable, "use a service: the container is closed")
        }
        return client.execute(
            request: request, delegate: delegate, deadline: .now() + limits.whole)
    }
}

/// How long requests can take, and how large answers can be.
struct HTTPLimits {
    var connecting = TimeAmount.seconds(10)
    /// The longest time without a byte from the service, or to it.
    var silence = TimeAmount.seconds(90)
    /// The longest time for a whole request with its answer: as long as a service allows.
    var whole = TimeAmount.minutes(15)
    /// How long to keep a connection without a request: less than a service does, because a service
    /// could close the connection just as a request is on its way.
    var idle = TimeAmount.seconds(30)
    var connectionCount = 8
    /// The maximum size of an answer in bytes.
    ///
    /// A service divides long answers into pages, but it does not divide a record, which can have
    /// more bytes in JSON than in its store.
    var answerByteCount = 32 << 20
    /// How much is kept of an error that comes in place of a file.
    var errorByteCount = 64 << 10
}

extension RemoteAnswer {
    init(_ response: HTTPClient.Response) {
        self.init(
            status: Int(response.status.code), headers: response.headers.map { WebHeader($0, $1) },
            body: response.body.map { Array($0.readableBytesView) } ?? [])
    }
}
#endif
