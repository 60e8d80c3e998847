import BullaRecords

/// The dictionaries of invitations to a share; each invitation can be taken by only one account.
///
/// CloudKit's web service has no such dictionaries, and strict clients refuse unknown keys. So they
/// appear only in answers to requests that ask for invitations, or that change some.
enum WireInvitation {
    /// The key of the list of a share's invitations; a request asks for these lists by setting this
    /// key to `true`.
    static let listKey = "oneTimeInvitations"

    /// Reads a dictionary; the identifier is `nil` if it has none.
    static func read(
        _ value: JSONValue
    ) throws(RecordError) -> (RandomIdentifier?, RecordChange.InvitationWish) {
        let value = try value.asObject()
        let identifier = try value.optional("participantId").map { named throws(RecordError) in
            guard let known = RandomIdentifier(text: try named.asText()) else {
                throw named.refusal("32 hexadecimal digits", found: "something else")
            }
            return known
        }
        let time = try value.required("expirationTimestamp")
        let permission = try value.optional("permission").map { named throws(RecordError) in
            try SharePermission(named)
        }
        return (
            identifier,
            .init(permission ?? .readOnly, expiry: try FieldReader.timestamp(time, at: time))
        )
    }

    /// - Parameter token: what an account sends to `records/accept` to take the invitation; `nil`
    ///   in a request, and in an answer to anyone but the share's owner.
    static func append(
        _ identifier: RandomIdentifier, _ wish: RecordChange.InvitationWish, token: String?,
        to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.member("participantId", identifier.text)
        writer.member("permission", wish.permission.wireName)
        writer.member("expirationTimestamp", wish.expiry)
        if let token { writer.member("shortGUID", token) }
        writer.endObject()
    }
}
