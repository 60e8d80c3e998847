import BullaRecords
import BullaRecordsWeb
import BullaTestSupport
import Testing

@Suite("Invitations through the web service")
struct ServiceInvitationTests {
    private let fixture: ServiceFixture
    private let zone = ServiceFixture.zoneOfFirst

    init() throws {
        fixture = try .withSecondUser()
    }

    private func invitation(
        _ permission: String = "READ_WRITE", expiry: Int64 = ServiceFixture.now + 1_000,
        named name: String? = nil
    ) -> String {
        let named = name.map { "\"participantId\":\"\($0)\"," } ?? ""
        return "{\(named)\"permission\":\"\(permission)\",\"expirationTimestamp\":\(expiry)}"
    }

    /// Saves the zone's share with a list of invitations, and returns the answer.
    private func share(_ list: String?, more: String = "") throws -> ServiceReply {
        let invitations = list.map { ",\"oneTimeInvitations\":\($0)" } ?? ""
        return try fixture.modify(
            operation(
                "forceUpdate", "cloudkit.zoneshare", type: "cloudkit.share", fields: "",
                more: invitations + more))
    }

    private func invitations(_ reply: ServiceReply) -> [JSONValue] {
        reply.items.first?["oneTimeInvitations"].map { Array($0.elements) } ?? []
    }

    private func asked(
        _ operation: String, _ token: String, user: String = "second"
    ) throws -> JSONValue? {
        let reply = try fixture.ask(
            operation,
            "{\"shortGUIDs\":[{\"value\":\"\(token)\"}],\"oneTimeInvitations\":true}",
            in: .public, user: user)
        return reply.json["results"].flatMap { $0.elements.first { _ in true } }
    }

    /// The share, as a user reads it.
    private func read(asks: Bool = true, user: String = "first") throws -> ServiceReply {
        let isOwner = user == "first"
        return try fixture.ask(
            "records/lookup",
            """
            {"records":[{"recordName":"cloudkit.zoneshare"}],
            "zoneID":\(isOwner ? "{\"zoneName\":\"myZone\"}" : zone),
            "oneTimeInvitations":\(asks)}
            """, in: isOwner ? .private : .shared, user: user)
    }

    @Test("An owner makes a URL, one user takes it, and then nobody else can")
    func taken() throws {
        let made = try share("[\(invitation())]")
        #expect(made.codes == [nil])
        let first = try #require(invitations(made).first)
        #expect(first["participantId"]?.string?.utf8.count == 32)
        #expect(first["permission"]?.string == "READ_WRITE")
        #expect(first["expirationTimestamp"]?.int64 == ServiceFixture.now + 1_000)
        let token = try #require(first["shortGUID"]?.string)
        #expect(made.items.first?["shortGUID"]?.string != token)
        _ = try fixture.modify(operation("create", "a"))

        let found = try #require(try asked("records/resolve", token))
        #expect(found["participantStatus"]?.string == "INVITED")
        let accepted = try #require(try asked("records/accept", token))
        #expect(accepted["participantStatus"]?.string == "ACCEPTED")
        #expect(accepted["participantPermission"]?.string == "READ_WRITE")
        #expect(accepted["share"]?["oneTimeInvitations"]?.count == 0)
        let lookup = try fixture.ask(
            "records/lookup", "{\"records\":[{\"recordName\":\"a\"}],\"zoneID\":\(zone)}",
            in: .shared, user: "second")
        #expect(lookup.codes == [nil])
        #expect(try invitations(read()).isEmpty)
        #expect(try read().items.first?["participants"]?.count == 2)
    }

    @Test("Only requests that ask for invitations get them, and only the owner gets tokens")
    func told() throws {
        let other = WebSupport.stranger.userRecordName
        let participants = """
            ,"participants":[{"userIdentity":{"userRecordName":"\(other)"}}]
            """
        let made = try share("[\(invitation())]", more: participants)
        let token = try #require(invitations(made).first?["shortGUID"]?.string)
        let plain = try #require(made.items.first?["shortGUID"]?.string)
        _ = try asked("records/accept", plain)
        for (asks, user) in [(false, "first"), (true, "first"), (true, "second")] {
            let reply = try read(asks: asks, user: user)
            #expect(reply.codes == [nil], "\(reply.text)")
            #expect((reply.items.first?["oneTimeInvitations"] != nil) == asks)
            #expect(reply.text.contains(token) == (asks && user == "first"))
        }
        for (operation, body) in [
            ("changes/zone", "{\"zones\":[{\"zoneID\":{\"zoneName\":\"myZone\"}}]"),
            ("records/changes", "{\"zoneID\":{\"zoneName\":\"myZone\"}"),
        ] {
            let without = try fixture.ask(operation, body + "}")
            #expect(without.text.contains("cloudkit.zoneshare") && !without.text.contains(token))
            let with = try fixture.ask(operation, body + ",\"oneTimeInvitations\":true}")
            #expect(with.text.contains(token))
        }
    }

    @Test("A list says which invitations stay, with which permission")
    func lists() throws {
        let made = try share("[\(invitation())]")
        let first = try #require(invitations(made).first)
        let name = try #require(first["participantId"]?.string)
        let token = try #require(first["shortGUID"]?.string)
        // Without a list, or with null in its place, the invitations stay.
        for kept in [try share(nil), try share("null")] { #expect(kept.codes == [nil]) }
        let changed = try share("[\(invitation("READ_ONLY", named: name)),\(invitation())]")
        #expect(invitations(changed).count == 2)
        let same = invitations(changed).first { $0["participantId"]?.string == name }
        #expect(same?["shortGUID"]?.string == token)
        #expect(same?["permission"]?.string == "READ_ONLY")
        let emptied = try share("[]")
        #expect(emptied.items.first?["oneTimeInvitations"]?.count == 0)
        let refused = try asked("records/accept", token)
        #expect(refused?["serverErrorCode"]?.string == "NOT_FOUND")
        // An invitation that the client names may have expired since the client made it. So a past
        // expiry is no reason to refuse it.
        let late = try share("[\(invitation(expiry: ServiceFixture.now, named: name))]")
        #expect(late.codes == [nil] && invitations(late).isEmpty)
    }

    @Test("Nobody but the owner sends a list, whatever the list has")
    func others() throws {
        let made = try share("[\(invitation())]")
        let token = try #require(invitations(made).first?["shortGUID"]?.string)
        let accepted = try #require(try asked("records/accept", token))
        #expect(accepted["participantPermission"]?.string == "READ_WRITE")
        let kept = try share("[\(invitation("READ_ONLY"))]")
        let name = try #require(invitations(kept).first?["participantId"]?.string)
        for list in ["[]", "[\(invitation())]", "[\(invitation(named: name))]"] {
            let change = operation(
                "forceUpdate", "cloudkit.zoneshare", type: "cloudkit.share", fields: "",
                more: ",\"oneTimeInvitations\":\(list)")
            let refused = try fixture.ask(
                "records/modify", "{\"operations\":[\(change)],\"zoneID\":\(zone)}",
                in: .shared, user: "second")
            #expect(refused.codes == ["ACCESS_DENIED"], "\(refused.text)")
        }
        let left = invitations(try read())
        #expect(left.map { $0["participantId"]?.string } == [name])
        #expect(left.first?["permission"]?.string == "READ_ONLY")
    }

    @Test("Lists that are none are refused with the reason")
    func refusals() throws {
        let name = String(repeating: "0a", count: 16)
        for (list, reason) in [
            ("{}", "an array"), ("[1]", "an object"), ("[{}]", "expirationTimestamp"),
            ("[\(invitation("NONE"))]", "READ_ONLY or READ_WRITE"),
            ("[\(invitation(named: "x"))]", "32 hexadecimal digits"),
            ("[\(invitation(named: name)),\(invitation(named: name))]", "another participantId"),
            ("[{\"expirationTimestamp\":\"soon\"}]", "expirationTimestamp"),
            ("[\(invitation(expiry: ServiceFixture.now))]", "still to come"),
        ] {
            let refused = try share(list)
            #expect(refused.codes == ["BAD_REQUEST"], "\(refused.text)")
            #expect(refused.reasons.first?.contains(reason) == true, "\(refused.text)")
        }
        let note = try fixture.modify(
            operation("create", "a", more: ",\"oneTimeInvitations\":[\(invitation())]"))
        #expect(note.codes == [nil])
        let many = [String](repeating: invitation(), count: 101).joined(separator: ",")
        let tooMany = try share("[\(many)]")
        #expect(tooMany.codes == ["BAD_REQUEST"])
        #expect(tooMany.reasons.first?.hasPrefix("tooManyParticipants: ") == true)
    }
}
