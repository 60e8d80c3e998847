package import BullaRecords

/// What an operation on a share's record changes beyond the record's fields.
///
/// A request's `participants` lists all participants by their `userRecordName`, and may leave out
/// the owner. A participant that it marks as `REMOVED` counts as not listed. The owner cannot
/// accept the share for a participant.
///
/// A request's `oneTimeInvitations` lists all invitations that are to stay open, or to be made.
/// Each has a `permission` and an `expirationTimestamp`, and is named by a `participantId` of 32
/// hexadecimal digits. An invitation without a name must not have expired yet, and the service
/// names it.
package struct WireShare: Hashable, Sendable {
    /// The participants; `nil` to leave them as they are.
    package let participants: [AccountIdentifier: SharePermission]?
    /// The record that a new share covers, together with the records below it; `nil` if the share
    /// covers a zone.
    package let root: String?
    /// The invitations; `nil` to leave them as they are.
    package let invitations: [RandomIdentifier: RecordChange.InvitationWish]?

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
        invitations = try Self.invitations(record, context)
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

    private static func invitations(
        _ record: JSONValue, _ context: WireContext
    ) throws(RecordError) -> [RandomIdentifier: RecordChange.InvitationWish]? {
        let key = WireInvitation.listKey
        guard record.optional(key) != nil else { return nil }
        var invitations: [RandomIdentifier: RecordChange.InvitationWish] = [:]
        for one in try record.requiredList(key, limit: context.limits.itemLimit) {
            let (named, wish) = try WireInvitation.read(one)
            guard named != nil || wish.expiry > context.now else {
                throw one.refusal(
                    "an expirationTimestamp that is still to come", found: "one that is over")
            }
            let identifier = if let named { named } else { try RandomIdentifier.new() }
            guard invitations.updateValue(wish, forKey: identifier) == nil else {
                throw one.refusal("another participantId", found: "one that the list has already")
            }
        }
        return invitations
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
        return try SharePermission(named)
    }
}

extension SharePermission {
    init(_ named: JSONValue) throws(RecordError) {
        guard let known = Self.allCases.first(where: { named.says($0.wireName) }) else {
            throw named.refusal("READ_ONLY or READ_WRITE", found: "something else")
        }
        self = known
    }

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
    ///
    /// - Parameter tokens: for the owner, those of the invitations that nobody has taken.
    mutating func share(
        _ sharing: ZoneSharing, _ tokens: [RandomIdentifier: String], _ form: AnswerForm
    ) {
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
        if form.hasInvitations {
            let invitations = sharing.invitations.sorted { $0.key.text < $1.key.text }
            list(WireInvitation.listKey, invitations) { invitation, writer in
                let (identifier, told) = (invitation.key, invitation.value)
                WireInvitation.append(
                    identifier, .init(told.permission, expiry: told.expiry),
                    token: tokens[identifier], to: &writer)
            }
        }
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
        // There is no `lookupInfo`: it would add nothing, and strict clients reject it next to a
        // name.
        member("userRecordName", account.userRecordName)
        endObject()
    }
}
