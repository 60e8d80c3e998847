import BullaRecords
internal import Synchronization

/// Receives a file from a client, with only a few chunks of it in memory at once.
///
/// If the server drops the upload before its end, the core frees the upload's chunks after an hour,
/// as it does with all chunks that no record holds. Several threads can use an upload, one at a
/// time.
package final class WebUpload: Sendable {
    private let service: WebService
    private let tickets: WebTickets
    private let grant: UploadGrant
    private let body: Mutex<UploadBody>

    init(
        _ service: WebService, _ tickets: WebTickets, _ grant: UploadGrant, _ form: FormReader?
    ) throws(RecordError) {
        (self.service, self.tickets, self.grant) = (service, tickets, grant)
        body = Mutex(
            UploadBody(
                try tickets.core.beginUpload(for: grant.place.zone), form,
                byteLimit: service.limits.formByteCount(around: tickets.core.limits.assetByteCount))
        )
    }

    /// Adds the next bytes of the request's body, however many; blocks while it waits for the
    /// store.
    ///
    /// - Throws: ``WebError``, from which ``WebService/answer(to:)`` makes the answer, as soon as
    ///   the upload has failed. Further calls fail with the same error.
    package func append(_ bytes: ArraySlice<UInt8>) throws(WebError) {
        try body.withLock { body throws(WebError) in try body.append(bytes) }
    }

    /// Ends the file, and returns the answer to the request.
    ///
    /// Call it once, when the whole body has arrived.
    package func finish() -> WebAnswer {
        do throws(WebError) {
            let asset = try body.withLock { body throws(WebError) in try body.finish() }
            return WebAnswer(UploadedAnswer(try answer(asset)).bytes())
        } catch { return service.answer(to: error) }
    }

    private func answer(_ asset: AssetDescriptor) throws(WebError) -> WireAsset {
        do throws(RecordError) {
            let receipt = try tickets.text(
                .receipt, UploadReceipt(grant, asset).bytes,
                lifetime: service.limits.receiptLifetime)
            return WireAsset(asset, receipt: receipt)
        } catch { throw WebError(error) }
    }
}

/// An upload contains the grant from its ticket, and the key of the file.
extension WebUpload: Untold {
    package var description: String { "an upload" }
}

/// The body of a request that sends a file: the file itself, or a form that contains it.
private struct UploadBody {
    private let upload: AssetUpload
    private var form: FormReader?
    private let byteLimit: UInt64
    private var byteCount: UInt64 = 0
    /// If set, all further calls throw this error.
    private var error: WebError?

    init(_ upload: AssetUpload, _ form: FormReader?, byteLimit: UInt64) {
        (self.upload, self.form, self.byteLimit) = (upload, form, byteLimit)
    }

    mutating func append(_ bytes: ArraySlice<UInt8>) throws(WebError) {
        if let error { throw error }
        do throws(WebError) { try read(bytes) } catch {
            self.error = error
            throw error
        }
    }

    private mutating func read(_ bytes: ArraySlice<UInt8>) throws(WebError) {
        guard form != nil else { return try upload.take(bytes) }
        byteCount += UInt64(bytes.count)
        guard byteCount <= byteLimit else {
            throw WebError(
                .badRequest, "send a file: its form has more than \(byteLimit) bytes", status: 413)
        }
        let upload = upload
        try form?.read(bytes) { file throws(WebError) in try upload.take(file) }
    }

    mutating func finish() throws(WebError) -> AssetDescriptor {
        if let error { throw error }
        error = WebError(.badRequest, "send a file: it was sent already")
        try form?.finish()
        do throws(RecordError) { return try upload.finish() } catch { throw WebError(error) }
    }
}

extension AssetUpload {
    fileprivate func take(_ bytes: ArraySlice<UInt8>) throws(WebError) {
        do throws(RecordError) { try append(bytes) } catch {
            guard error.code == .limitExceeded else { throw WebError(error) }
            throw WebError(.badRequest, error.reason, status: 413)
        }
    }
}
