package import BullaRecords

/// A share in an answer, as the user who asked for it sees it.
package struct AnsweredShare: Sendable {
    /// The record of the share.
    package let record: AnsweredRecord
    /// The name of the root of the shared records; `nil` if the whole zone is shared.
    package let root: String?
    /// The user's permission; `nil` for the owner.
    package let permission: SharePermission?
    package let acceptance: ShareAcceptance?
}

extension AnswerReader {
    /// The users in the answer to `users/discover`.
    package func users(_ bytes: [UInt8]) throws(RecordError) -> [AccountIdentifier] {
        try reading(bytes) { value throws(RecordError) in
            var users: [AccountIdentifier] = []
            for user in try value.required("users").asList() {
                users.append(try AccountIdentifier(identity: user))
            }
            return users
        }
    }

    /// The share in the answer to `records/resolve` or `records/accept`, or the service's error.
    package func share(
        _ bytes: [UInt8]
    ) throws(RecordError) -> Result<AnsweredShare, WebError> {
        try reading(bytes) { value throws(RecordError) in
            let results = try value.required("results")
            guard let item = try results.asList().first(where: { _ in true }) else {
                throw results.refusal("a share", found: "none")
            }
            if let error = WebError(item: try item.asObject()) { return .failure(error) }
            let zone = try WireZone.read(item.required("zoneID"), context)
            let share = try item.required("share").asObject()
            let record = try AnsweredRecord(
                share, RecordIdentifier(share.requiredText("recordName"), in: zone), context)
            let isOwner = try item.requiredText("participantType") == "OWNER"
            return .success(
                AnsweredShare(
                    record: record, root: try item.optionalText("rootRecordName"),
                    permission: isOwner
                        ? nil : try SharePermission(item.required("participantPermission")),
                    acceptance: isOwner
                        ? nil : try ShareAcceptance(item.required("participantStatus"))))
        }
    }
}

extension AccountIdentifier {
    /// Reads the identity of a user.
    fileprivate init(identity value: JSONValue) throws(RecordError) {
        let name = try value.asObject().required("userRecordName")
        guard let account = AccountIdentifier(userRecordName: try name.asText()) else {
            throw name.refusal("the record name of a user", found: "another name")
        }
        self = account
    }
}

extension ShareAcceptance {
    fileprivate init(_ named: JSONValue) throws(RecordError) {
        guard let known = [Self.pending, .accepted].first(where: { named.says($0.wireName) })
        else { throw named.refusal("INVITED or ACCEPTED", found: "something else") }
        self = known
    }
}

extension ToldShare {
    /// Reads the members that only a share's record has.
    init(_ record: JSONValue) throws(RecordError) {
        let owner = try record.required("owner").asObject()
        var participants: [AccountIdentifier: Member] = [:]
        for one in try record.required("participants").asList() {
            let one = try one.asObject()
            if one.optional("type")?.says("OWNER") == true { continue }
            let account = try AccountIdentifier(identity: one.required("userIdentity"))
            let member = Member(
                try SharePermission(one.required("permission")),
                try ShareAcceptance(one.required("acceptanceStatus")))
            guard participants.updateValue(member, forKey: account) == nil else {
                throw one.refusal("another participant", found: "one that the share has already")
            }
        }
        var invitations: [RandomIdentifier: Invitation] = [:]
        if let list = record.optional(WireInvitation.listKey) {
            for one in try list.asList() {
                guard case (let identifier?, let wish) = try WireInvitation.read(one) else {
                    throw one.refusal("an invitation's participantId", found: "none")
                }
                let invitation = Invitation(wish, token: try one.optionalText("shortGUID"))
                guard invitations.updateValue(invitation, forKey: identifier) == nil else {
                    throw one.refusal(
                        "another invitation", found: "one that the share has already")
                }
            }
        }
        self.init(
            try AccountIdentifier(identity: owner.required("userIdentity")),
            token: try record.optionalText("shortGUID"), participants: participants,
            invitations: invitations)
    }
}
