import BullaRecords
internal import Synchronization

/// The answer to a request for a file, or for a part of it.
///
/// The server sends the status and the headers, declares ``byteCount`` as the length of the body,
/// and sends the chunks in order. Any number of threads can read chunks at the same time.
package struct WebDownload: Sendable {
    package let status: Int
    /// All headers except `Content-Length`.
    package let headers: [WebHeader]
    /// The length of the body, which the answer to a HEAD request also declares.
    package let byteCount: UInt64
    /// How many chunks to send; none for a HEAD request.
    package let chunkCount: Int

    private let reader: AssetReader
    private let range: Range<UInt64>
    private let lastRead = LastRead()

    /// - Parameters:
    ///   - range: the value of `Range`; `nil` to send the whole file.
    ///   - hasBody: `false` for HEAD.
    /// - Throws: `assetNotFound` if the file was deleted.
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
        chunkCount = hasBody && !range.isEmpty ? chunks.count : 0
        // The first chunk is read before anything is sent, so that the answer is an error if the
        // file is missing.
        _ = try lastRead.bytes(of: range, in: chunks.lowerBound, reader)
    }

    /// Headers that make browsers save a file and never show or run it.
    ///
    /// A page of another origin can fetch the file only if the server allows that origin. Caches
    /// must not store the file, since they would serve it to anyone who has the address.
    private static let headers = [
        WebHeader("Content-Type", "application/octet-stream"),
        WebHeader("Accept-Ranges", "bytes"),
        WebHeader("X-Content-Type-Options", "nosniff"),
        WebHeader("Content-Disposition", "attachment"),
        WebHeader("Content-Security-Policy", "sandbox; default-src 'none'"),
        WebHeader("Cross-Origin-Resource-Policy", "same-origin"),
        WebHeader("Cache-Control", "private, no-store"),
    ]

    /// Reads a chunk of the body; blocks while it waits for the store.
    ///
    /// - Parameter index: less than ``chunkCount``.
    /// - Throws: ``WebError`` with the chunk's number, if the chunk is damaged or was deleted. The
    ///   server must then cut the connection, so that the client does not take the file for
    ///   complete.
    package func chunk(_ index: Int) throws(WebError) -> ArraySlice<UInt8> {
        precondition((0..<chunkCount).contains(index), "the body has the chunk")
        let chunk = reader.chunks(of: range).lowerBound + UInt32(index)
        do throws(RecordError) { return try lastRead.bytes(of: range, in: chunk, reader) } catch {
            throw WebError(error)
        }
    }
}

/// The chunk that was read last, in memory that each later chunk reuses.
///
/// With new memory for each chunk, every reading thread would allocate some, and the allocator
/// would keep it for that thread.
private final class LastRead: Sendable {
    private struct Chunk {
        var index: UInt32?
        var bytes: [UInt8] = []
        var place = 0..<0
    }

    private let chunk = Mutex(Chunk())

    func bytes(
        of range: Range<UInt64>, in index: UInt32, _ reader: AssetReader
    ) throws(RecordError) -> ArraySlice<UInt8> {
        try chunk.withLock { chunk throws(RecordError) in
            if chunk.index != index {
                chunk.index = nil
                chunk.place = try reader.read(range, in: index, into: &chunk.bytes)
                chunk.index = index
            }
            return chunk.bytes[chunk.place]
        }
    }
}

extension WebDownload: Untold {
    package var description: String { "a download of \(byteCount) bytes, status \(status)" }
}

extension AssetDescriptor {
    /// The value of `ETag`: the asset's name, because the contents of an asset never change.
    var entityTag: String { "\"\(asset.text)\"" }
}

extension WebService {
    /// Begins to answer a request for a file, at an address that came with a record.
    ///
    /// - Throws: ``WebError``, from which ``answer(to:)`` makes the answer.
    package func download(_ request: WebRequest) throws(WebError) -> WebDownload {
        let target = try TicketTarget(request.target, .download)
        guard ["GET", "HEAD"].contains(request.method) else {
            throw .method("the address of a file", ["GET", "HEAD"])
        }
        let core = try core(of: target)
        let body: [UInt8]
        do throws(WebTickets.Fault) {
            body = try WebTickets(core, clock).body(.download, target.ticket)
        } catch { throw WebError(error) }
        guard let grant = DownloadGrant(body) else { throw WebError(.foreign) }
        let isWhole = request.header("If-Range").map { $0 != grant.asset.entityTag } ?? false
        do throws(RecordError) {
            return try WebDownload(
                try core.asset(grant.asset, heldBy: grant.record),
                range: request.method == "GET" && !isWhole ? request.header("Range") : nil,
                hasBody: request.method == "GET")
        } catch { throw WebError(error) }
    }
}
