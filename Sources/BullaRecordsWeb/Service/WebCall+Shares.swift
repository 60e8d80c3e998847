import BullaRecords

extension WebCall {
    /// Describes shares that the caller can accept.
    func resolveShares(_ value: JSONValue) throws(RecordError) -> [UInt8] {
        try shares(value) { token throws(RecordError) in
            try view.core.shares.invitation(token, view.session)
        }
    }

    /// Accepts shares, each independently of the others.
    func acceptShares(_ value: JSONValue) throws(RecordError) -> [UInt8] {
        try shares(value) { token throws(RecordError) in
            try view.core.shares.accept(token, view.session)
        }
    }

    private func shares(
        _ value: JSONValue, _ body: (String) throws(RecordError) -> ShareInvitation
    ) throws(RecordError) -> [UInt8] {
        let request = try SharesRequest(value, context)
        var items: [SharesAnswer.Item] = []
        for name in request.shortGUIDs {
            do throws(RecordError) {
                items.append(.share(shortGUID: name, try body(name)))
            } catch { items.append(.failed(shortGUID: name, WebError(error))) }
        }
        return SharesAnswer(items, in: target.place).bytes(form(false))
    }
}
