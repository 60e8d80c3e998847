import BullaRecords

extension WebCall {
    /// Describes shares that the caller can accept.
    func resolveShares(_ value: JSONValue) throws(RecordError) -> [UInt8] {
        try shares(value) { item throws(RecordError) in
            try view.core.shares.invitation(item.value, view.session, hasRoot: item.hasRoot)
        }
    }

    /// Accepts shares, each independently of the others.
    func acceptShares(_ value: JSONValue) throws(RecordError) -> [UInt8] {
        try shares(value) { item throws(RecordError) in
            try view.core.shares.accept(item.value, view.session, hasRoot: item.hasRoot)
        }
    }

    private func shares(
        _ value: JSONValue, _ body: (SharesRequest.Item) throws(RecordError) -> ShareInvitation
    ) throws(RecordError) -> [UInt8] {
        let request = try SharesRequest(value, context)
        let form = form(hasInvitations: request.hasInvitations)
        var items: [SharesAnswer.Item] = []
        for item in request.shortGUIDs {
            do throws(RecordError) {
                items.append(.share(shortGUID: item.value, try body(item)))
            } catch { items.append(.failed(shortGUID: item.value, WebError(error))) }
        }
        return SharesAnswer(items, in: target.place).bytes(form)
    }
}
