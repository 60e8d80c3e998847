package import BullaRecords

/// The additional changes that an operation makes to a share.
///
/// A request's `participants` lists all participants by their `userRecordName`, and may leave out
/// the owner. A participant that it marks as `REMOVED` counts as not listed. The owner cannot
/// accept the share for a participant.
package struct WireShare: Hashable, Sendable {
    /// The participants; `nil` to leave them as they are.
    package let participants: [AccountIdentifier: SharePermission]?
    /// The record that a new share shares with those below it; `nil` for a zone.
    package let root: String?

    /// - Throws: `invalidArguments` for an invalid share.
    init(_ record: JSONValue, _ context: WireContext) throws(RecordError) {
        root = try record.optional("forRecord").map { root throws(RecordError) in
            try root.asObject().requiredText("recordName")
        }
        if let permission = record.optional("publicPermission"), !permission.says("NONE") {
            throw permission.refusal(
                "NONE, since keys are sealed only for users that the owner names",
                found: "another permission")
        }
        guard record.optional("participants") != nil else {
            participants = nil
            return
        }
        var participants: [AccountIdentifier: SharePermission] = [:]
        for one in try record.requiredList("participants", limit: context.limits.itemLimit) {
            let one = try one.asObject()
            let isOwner = one.optional("type")?.says("OWNER") ?? false
            let isRemoved = one.optional("acceptanceStatus")?.says("REMOVED") ?? false
            guard !isOwner, !isRemoved else { continue }
            participants[try Self.account(one)] = try Self.permission(one)
        }
        self.participants = participants
    }

    private static func account(_ participant: JSONValue) throws(RecordError) -> AccountIdentifier {
        let identity = try participant.required("userIdentity").asObject()
        var named = identity.optional("userRecordName")
        if named == nil {
            let info = try identity.required("lookupInfo").asObject()
            named = try info.required("userRecordName")
        }
        guard
            let account = try named.flatMap({ named throws(RecordError) in
                AccountIdentifier(userRecordName: try named.asText())
            })
        else {
            throw identity.refusal("the record name of a user", found: "another name")
        }
        return account
    }

    private static func permission(_ participant: JSONValue) throws(RecordError) -> SharePermission
    {
        guard let named = participant.optional("permission") else { return .readOnly }
        guard let known = SharePermission.allCases.first(where: { named.says($0.wireName) }) else {
            throw named.refusal("READ_ONLY or READ_WRITE", found: "something else")
        }
        return known
    }
}

extension SharePermission {
    var wireName: String {
        switch self {
        case .readOnly: "READ_ONLY"
        case .readWrite: "READ_WRITE"
        }
    }
}

extension ShareAcceptance {
    var wireName: String {
        switch self {
        case .pending: "INVITED"
        case .accepted: "ACCEPTED"
        }
    }
}

extension JSONWriter {
    /// Writes the members that only a share has, as the answer's viewer sees them.
    mutating func share(_ sharing: ZoneSharing, _ form: AnswerForm) {
        if let token = form.shareToken(sharing) { member("shortGUID", token) }
        member("publicPermission", "NONE")
        let participants = sharing.participants.sorted {
            $0.key.userRecordName < $1.key.userRecordName
        }
        key("participants")
        beginArray()
        owner(sharing.owner)
        for (account, participant) in participants { self.participant(account, participant) }
        endArray()
        key("owner")
        owner(sharing.owner)
        guard let viewer = form.viewer else { return }
        if viewer == sharing.owner {
            key("currentUserParticipant")
            owner(viewer)
        } else if let participant = sharing.participants[viewer] {
            key("currentUserParticipant")
            self.participant(viewer, participant)
        }
    }

    private mutating func owner(_ account: AccountIdentifier) {
        participant(account, type: "OWNER", "READ_WRITE", "ACCEPTED")
    }

    private mutating func participant(
        _ account: AccountIdentifier, _ participant: ShareParticipant
    ) {
        self.participant(
            account, type: "USER", participant.permission.wireName,
            participant.acceptance.wireName)
    }

    private mutating func participant(
        _ account: AccountIdentifier, type: String, _ permission: String, _ acceptance: String
    ) {
        beginObject()
        member("participantId", account.userRecordName)
        key("userIdentity")
        userIdentity(account)
        member("type", type)
        member("permission", permission)
        member("acceptanceStatus", acceptance)
        endObject()
    }

    mutating func userIdentity(_ account: AccountIdentifier) {
        beginObject()
        // There is no `lookupInfo`: it would add nothing, and strict clients reject it beside a
        // name.
        member("userRecordName", account.userRecordName)
        endObject()
    }
}
