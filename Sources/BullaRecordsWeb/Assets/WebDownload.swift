import BullaRecords

/// A file, or a part of it, on its way to a client.
///
/// The server sends status and headers, declares ``byteCount`` as the body's length, and sends the
/// chunks in their order. Any number of threads may call at once.
package struct WebDownload: Sendable {
    package let status: Int
    /// All but `Content-Length`.
    package let headers: [WebHeader]
    /// The length of the body, which an answer to HEAD declares too.
    package let byteCount: UInt64
    /// How many chunks are to be sent; none in an answer to HEAD.
    package let chunkCount: Int

    private let reader: AssetReader
    private let range: Range<UInt64>
    /// The first chunk, read before anything is answered.
    private let first: ArraySlice<UInt8>

    /// - Parameters:
    ///   - range: the value of `Range` where it is to be heeded.
    ///   - hasBody: `false` for HEAD.
    /// - Throws: `assetNotFound` where the file was freed.
    init(
        _ reader: AssetReader, range asked: String?, hasBody: Bool
    ) throws(RecordError) {
        self.reader = reader
        let all = reader.byteCount
        var headers = Self.headers + [WebHeader("ETag", reader.descriptor.entityTag)]
        switch ByteRange(asked, of: all) {
        case .all: (status, range) = (200, 0..<all)
        case .part(let part):
            (status, range) = (206, part)
            headers.append(
                WebHeader(
                    "Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(all)"))
        case .unsatisfiable:
            (status, range) = (416, 0..<0)
            headers.append(WebHeader("Content-Range", "bytes */\(all)"))
        }
        self.headers = headers
        byteCount = range.upperBound - range.lowerBound
        let chunks = reader.chunks(of: range)
        first = try reader.bytes(of: range, in: chunks.lowerBound)
        chunkCount = hasBody && !range.isEmpty ? chunks.count : 0
    }

    /// What keeps a file from being more than bytes that somebody saves.
    ///
    /// No browser shows or runs it. A page of another origin reads it by asking for it, where the
    /// server lets that origin in. Whoever has the address reads the file, so no cache keeps it.
    private static let headers = [
        WebHeader("Content-Type", "application/octet-stream"),
        WebHeader("Accept-Ranges", "bytes"),
        WebHeader("X-Content-Type-Options", "nosniff"),
        WebHeader("Content-Disposition", "attachment"),
        WebHeader("Content-Security-Policy", "sandbox; default-src 'none'"),
        WebHeader("Cross-Origin-Resource-Policy", "same-origin"),
        WebHeader("Cache-Control", "private, no-store"),
    ]

    /// A chunk of the body.
    ///
    /// It blocks for as long as the store does.
    ///
    /// - Parameter index: less than ``chunkCount``.
    /// - Throws: ``WebError`` that names the chunk, where it is damaged or was freed meanwhile: the
    ///   server then cuts the connection, so that nobody takes the file for whole.
    package func chunk(_ index: Int) throws(WebError) -> ArraySlice<UInt8> {
        precondition((0..<chunkCount).contains(index), "the body has the chunk")
        guard index > 0 else { return first }
        let chunk = reader.chunks(of: range).lowerBound + UInt32(index)
        do throws(RecordError) { return try reader.bytes(of: range, in: chunk) } catch {
            throw WebError(error)
        }
    }
}

extension WebDownload: Untold {
    package var description: String { "a download of \(byteCount) bytes, status \(status)" }
}

extension AssetDescriptor {
    /// A file never changes: its name stands for its bytes.
    var entityTag: String { "\"\(asset.text)\"" }
}

extension WebService {
    /// Begins to answer a request for a file, at an address that a record was read with.
    ///
    /// - Throws: ``WebError``; ``answer(to:)`` makes the answer.
    package func download(_ request: WebRequest) throws(WebError) -> WebDownload {
        let target = try TicketTarget(request.target, .download)
        guard ["GET", "HEAD"].contains(request.method) else {
            throw .method("a file", ["GET", "HEAD"])
        }
        let core = try core(of: target)
        let body: [UInt8]
        do throws(WebTickets.Fault) {
            body = try WebTickets(core, clock).body(.download, target.ticket)
        } catch { throw WebError(error) }
        guard let grant = DownloadGrant(body) else { throw WebError(.foreign) }
        let isWhole = request.header("If-Range").map { $0 != grant.asset.entityTag } ?? false
        do throws(RecordError) {
            guard try core.isReadable(grant.zone) else {
                throw RecordError(.assetNotFound, "read an asset: its zone is not there any more")
            }
            return try WebDownload(
                try core.asset(grant.asset),
                range: request.method == "GET" && !isWhole ? request.header("Range") : nil,
                hasBody: request.method == "GET")
        } catch { throw WebError(error) }
    }
}
