import BullaRecords

extension WebService {
    /// Begins to receive a file that a client sends to an address from `assets/upload`.
    ///
    /// - Parameter request: the request without its body; pass the body to the upload as it
    ///   arrives.
    /// - Throws: ``WebError``, from which ``answer(to:)`` makes the answer. In that case, the
    ///   server need not read the body.
    package func beginUpload(_ request: WebRequest) throws(WebError) -> WebUpload {
        let target = try TicketTarget(request.target, .upload)
        guard ["POST", "PUT"].contains(request.method) else {
            throw .method("an address of assets/upload", ["POST", "PUT"])
        }
        let core = try core(of: target)
        let tickets = WebTickets(core, clock)
        let body: [UInt8]
        do throws(WebTickets.Fault) { body = try tickets.body(.upload, target.ticket) } catch {
            throw WebError(error)
        }
        guard let grant = UploadGrant(body) else { throw WebError(.foreign) }
        let form = try form(of: request)
        let limit =
            form == nil
            ? core.limits.assetByteCount : limits.formByteCount(around: core.limits.assetByteCount)
        if let count = request.header("Content-Length").flatMap({ UInt64($0) }), count > limit {
            throw WebError(
                .badRequest, "send a file: \(count) bytes, the limit is \(limit)", status: 413)
        }
        do throws(RecordError) {
            return try WebUpload(self, tickets, grant, form)
        } catch { throw WebError(error) }
    }

    func core(of target: TicketTarget) throws(WebError) -> RecordCore {
        guard let core = try doors.core(target.place) else {
            throw WebError(.notFound, "there is no such container")
        }
        return core
    }

    /// The reader that extracts the file from a form; `nil` if the body is the file itself.
    private func form(of request: WebRequest) throws(WebError) -> FormReader? {
        guard request.method == "POST", let type = request.header("Content-Type"),
            type.lowercased().hasPrefix("multipart/")
        else { return nil }
        guard let value = HeaderValue(type[...]), value.name == "multipart/form-data",
            let boundary = value.parameters["boundary"].flatMap({ FormBoundary($0) })
        else {
            throw WebError(
                .badRequest,
                "send a file: a multipart body must be a form, with a boundary in its "
                    + "Content-Type")
        }
        return FormReader(boundary, headerByteCount: limits.partHeaderByteCount)
    }
}
