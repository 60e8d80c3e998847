package import BullaRecords

/// A request of `records/resolve` or `records/accept`: the tokens of shares.
package struct SharesRequest: Hashable, Sendable {
    package struct Item: Hashable, Sendable {
        package let value: String
        /// Whether the answer includes the shared record, too.
        package let hasRoot: Bool
    }

    package let shortGUIDs: [Item]
    /// Whether the answer includes the invitations of shares.
    package let hasInvitations: Bool

    package init(_ value: JSONValue, _ context: WireContext) throws(RecordError) {
        var shortGUIDs: [Item] = []
        for item in try value.requiredList("shortGUIDs", limit: context.limits.itemLimit) {
            let item = try item.asObject()
            shortGUIDs.append(
                Item(
                    value: try item.requiredText("value"),
                    hasRoot: try item.flag("shouldFetchRootRecord") ?? false))
        }
        self.shortGUIDs = shortGUIDs
        hasInvitations = try value.asksForInvitations()
    }
}

/// The answer of `records/resolve` and `records/accept`.
package struct SharesAnswer: Sendable {
    package enum Item: Sendable {
        case share(shortGUID: String, ShareInvitation)
        case failed(shortGUID: String, WebError)
    }

    private let items: [Item]
    private let place: Place

    package init(_ items: [Item], in place: Place) { (self.items, self.place) = (items, place) }

    package func bytes(_ form: AnswerForm) -> [UInt8] {
        answer { writer in
            writer.list("results", items) { item, writer in
                switch item {
                case .share(let name, let share): append(name, share, to: &writer, form)
                case .failed(let name, let error):
                    error.appendItem(shortGUID: name, to: &writer)
                }
            }
        }
    }

    private func append(
        _ name: String, _ share: ShareInvitation, to writer: inout JSONWriter, _ form: AnswerForm
    ) {
        writer.beginObject()
        writer.shortGUID(name)
        writer.member("containerIdentifier", place.container)
        writer.member("environment", place.environment.name)
        let isOwner = share.permission == nil
        writer.member(
            "databaseScope", (isOwner ? DatabaseScope.private : .shared).name.uppercased())
        writer.key("zoneID")
        writer.zone(share.zone)
        writer.key("share")
        RecordAnswer(share.record).append(to: &writer, form)
        if let root = share.root { writer.member("rootRecordName", root) }
        if let root = share.rootRecord {
            writer.key("rootRecord")
            RecordAnswer(root).append(to: &writer, form)
        }
        if let owner = share.zone.owner {
            writer.key("ownerIdentity")
            writer.userIdentity(owner)
        }
        writer.member("participantType", isOwner ? "OWNER" : "USER")
        writer.member("participantPermission", (share.permission ?? .readWrite).wireName)
        writer.member("participantStatus", (share.acceptance ?? .accepted).wireName)
        writer.endObject()
    }
}

extension JSONWriter {
    mutating func shortGUID(_ name: String) {
        key("shortGUID")
        beginObject()
        member("value", name)
        endObject()
    }
}
