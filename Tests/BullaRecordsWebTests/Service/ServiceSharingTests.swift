import BullaRecords
import BullaRecordsWeb
import BullaTestSupport
import Testing

@Suite("Shares through the web service")
struct ServiceSharingTests {
    private let fixture: ServiceFixture
    private let owner = WebSupport.account.userRecordName
    private let other = WebSupport.stranger.userRecordName
    private let zone = ServiceFixture.zoneOfFirst

    init() throws {
        fixture = try .withSecondUser()
    }

    private func participant(_ name: String, _ permission: String) -> String {
        joined(
            "{\"userIdentity\":{\"lookupInfo\":{\"userRecordName\":\"\(name)\"}},",
            "\"type\":\"USER\",\"permission\":\"\(permission)\",",
            "\"acceptanceStatus\":\"INVITED\"}")
    }

    private func share(
        _ participants: String?, _ kind: String = "create", name: String? = nil,
        tag: String? = nil, more: String = ""
    ) throws -> ServiceReply {
        let list = participants.map { ",\"participants\":[\($0)]" } ?? ""
        return try fixture.modify(
            operation(
                kind, name, type: "cloudkit.share", tag: tag,
                fields: "\"cloudkit.title\":{\"value\":\"T\"}", more: list + more))
    }

    private func asked(
        _ operation: String, _ name: String, user: String = "second"
    ) throws -> [JSONValue] {
        let reply = try fixture.ask(
            operation, "{\"shortGUIDs\":[{\"value\":\"\(name)\"}]}", in: .public, user: user)
        return (reply.json["results"]).map { Array($0.elements) } ?? []
    }

    private func modify(_ operations: String...) throws -> ServiceReply {
        try fixture.ask(
            "records/modify",
            "{\"operations\":[\(operations.joined(separator: ","))],\"zoneID\":\(zone)}",
            in: .shared, user: "second")
    }

    private func lookUp(_ name: String) throws -> ServiceReply {
        try fixture.ask(
            "records/lookup",
            "{\"records\":[{\"recordName\":\"\(name)\"}],\"zoneID\":\(zone)}", in: .shared,
            user: "second")
    }

    @Test("A zone is shared, resolved, accepted, read and written over the wire")
    func roundTrip() throws {
        let made = try share(
            participant(other, "READ_WRITE"), more: ",\"publicPermission\":\"NONE\"")
        #expect(made.codes == [nil] && made.names == ["cloudkit.zoneshare"])
        let record = try #require(made.items.first)
        #expect(record["publicPermission"]?.string == "NONE" && record["share"] == nil)
        #expect(record["owner"]?["userIdentity"]?["userRecordName"]?.string == owner)
        #expect(record["currentUserParticipant"]?["type"]?.string == "OWNER")
        let participants = try #require(record["participants"]).elements
        #expect(participants.map { $0["acceptanceStatus"]?.string } == ["ACCEPTED", "INVITED"])
        let name = try #require(record["shortGUID"]?.string)

        _ = try fixture.modify(operation("create", "a", fields: "\"n\":{\"value\":1}"))
        #expect(try lookUp("a").code == "ZONE_NOT_FOUND")
        #expect(try fixture.ask("zones/list", in: .shared, user: "second").items.isEmpty)
        let found = try #require(try asked("records/resolve", name).first)
        #expect(found["participantStatus"]?.string == "INVITED")
        #expect(found["share"]?["fields"]?["cloudkit.title"]?["value"]?.string == "T")
        #expect(found["zoneID"]?["ownerRecordName"]?.string == owner)
        #expect(found["databaseScope"]?.string == "SHARED")
        let accepted = try #require(try asked("records/accept", name).first)
        #expect(accepted["participantStatus"]?.string == "ACCEPTED")

        let zones = try fixture.ask("zones/list", in: .shared, user: "second").items
        #expect(zones.map { $0["zoneID"]?["ownerRecordName"]?.string } == [owner])
        let read = try lookUp("a").items.first
        #expect(read?["share"]?["recordName"]?.string == "cloudkit.zoneshare")
        #expect(read?["share"]?["zoneID"]?["ownerRecordName"]?.string == owner)
        let secret = "\"t\":{\"value\":\"x\",\"type\":\"STRING\",\"isEncrypted\":true}"
        #expect(try modify(operation("create", "b", fields: secret)).codes == [nil])
        #expect(try fixture.lookUp("b").field("t")?["value"]?.string == "x")
        let changes = try fixture.ask(
            "changes/zone", "{\"zones\":[{\"zoneID\":\(zone)}]}", in: .shared, user: "second")
        #expect(changes.items.first?["records"]?.count == 3)
        let databases = try fixture.ask("changes/database", "{}", in: .shared, user: "second")
        #expect(databases.items.first?["zoneID"]?["ownerRecordName"]?.string == owner)
    }

    @Test("A user finds others by the names of their records, and nobody else")
    func discovery() throws {
        let unknown = "_" + String(repeating: "7", count: 32)
        let infos = [
            "{\"userRecordName\":\"\(other)\"}", "{\"userRecordName\":\"\(unknown)\"}",
            "{\"userRecordName\":\"nobody\"}", "{\"emailAddress\":\"second@example.org\"}",
            "{\"userRecordName\":\"\(other)\"}",
        ]
        let body = "{\"lookupInfos\":[\(infos.joined(separator: ","))]}"
        let found = try fixture.ask("users/discover", body, in: .public)
        let names = found.json["users"]?.elements.map { $0["userRecordName"]?.string }
        #expect(names == [other])
        let nobody = try fixture.ask("users/discover", body, in: .public, user: nil)
        #expect(nobody.code == "AUTHENTICATION_REQUIRED")
        #expect(try fixture.ask("users/discover", "{}", in: .public).code == "BAD_REQUEST")
    }

    @Test("A record is shared with those below it, resolved, accepted, read and written")
    func sharedRecord() throws {
        _ = try fixture.modify(
            operation("create", "root", fields: "\"n\":{\"value\":1}"),
            operation("create", "private", fields: "\"n\":{\"value\":1}"))
        let below = ",\"parent\":{\"recordName\":\"root\"}"
        #expect(try fixture.modify(operation("create", "below", more: below)).codes == [nil])
        let made = try share(
            participant(other, "READ_WRITE"), more: ",\"forRecord\":{\"recordName\":\"root\"}")
        #expect(made.codes == [nil])
        let name = try #require(made.names.first)
        #expect(name != "cloudkit.zoneshare")
        let token = try #require(made.items.first?["shortGUID"]?.string)
        #expect(try fixture.lookUp("root").items.first?["share"]?["recordName"]?.string == name)
        #expect(try fixture.lookUp("below").items.first?["share"] == nil)

        let asked = try fixture.ask(
            "records/resolve",
            "{\"shortGUIDs\":[{\"value\":\"\(token)\",\"shouldFetchRootRecord\":true}]}",
            in: .public, user: "second")
        let found = try #require(asked.json["results"].map { Array($0.elements) }?.first)
        #expect(found["rootRecordName"]?.string == "root")
        #expect(found["rootRecord"]?["recordName"]?.string == "root")
        #expect(found["share"]?["recordName"]?.string == name)
        #expect(found["participantStatus"]?.string == "INVITED")
        let accepted = try #require(try self.asked("records/accept", token).first)
        #expect(accepted["participantStatus"]?.string == "ACCEPTED")
        #expect(accepted["rootRecord"] == nil)

        #expect(try lookUp("below").codes == [nil] && lookUp("private").codes == ["NOT_FOUND"])
        #expect(try modify(operation("create", "inside", more: below)).codes == [nil])
        #expect(try modify(operation("create", "outside")).codes == ["ACCESS_DENIED"])
        #expect(try modify(operation("forceUpdate", "private")).codes == ["ACCESS_DENIED"])
        #expect(try fixture.lookUp("inside").codes == [nil])
        let changes = try fixture.ask(
            "changes/zone", "{\"zones\":[{\"zoneID\":\(zone)}]}", in: .shared, user: "second")
        let told = changes.items.first?["records"]?.elements.map { $0["recordName"]?.string }
        #expect(Set(told ?? []) == ["root", "below", "inside", name])
        let second = try share("", more: ",\"forRecord\":{\"recordName\":\"below\"}")
        #expect(second.codes == ["EXISTS"])
        #expect(try share("", name: "cloudkit.zoneshare").codes == ["BAD_REQUEST"])
        #expect(try fixture.modify(operation("forceDelete", name)).codes == [nil])
        #expect(try lookUp("below").code == "ZONE_NOT_FOUND")
        #expect(try fixture.lookUp("root").items.first?["share"] == nil)
    }

    @Test("A user accepts an invitation that its owner has made with the library")
    func invitation() throws {
        _ = try fixture.modify(
            operation("create", "root", fields: "\"n\":{\"value\":1}"),
            operation("create", "private", fields: "\"n\":{\"value\":1}"))
        let made = try share("", more: ",\"forRecord\":{\"recordName\":\"root\"}")
        let (name, plain) = (made.names.first, made.items.first?["shortGUID"]?.string)
        let (late, token) = (try invite(to: #require(name)), try invite(to: #require(name)))
        for refused in [plain, late] {
            let answer = try asked("records/accept", #require(refused)).first
            #expect(answer?["serverErrorCode"]?.string == "NOT_FOUND")
        }
        let found = try #require(try asked("records/resolve", token).first)
        #expect(found["participantStatus"]?.string == "INVITED")
        #expect(try lookUp("root").code == "ZONE_NOT_FOUND")
        let accepted = try #require(try asked("records/accept", token).first)
        #expect(accepted["participantStatus"]?.string == "ACCEPTED")
        #expect(accepted["participantPermission"]?.string == "READ_WRITE")
        #expect(try lookUp("root").codes == [nil] && lookUp("private").codes == ["NOT_FOUND"])
        let next = try invite(to: #require(name))
        // The web service does not mention this invitation, and leaves it as it is.
        let read = try fixture.lookUp(#require(name))
        #expect(!read.text.contains(next) && read.items.first?["participants"]?.count == 2)
        let list = participant(other, "READ_ONLY")
        #expect(try share(list, "forceUpdate", name: name).codes == [nil])
        let own = try #require(try asked("records/resolve", next, user: "first").first)
        #expect(own["participantType"]?.string == "OWNER")
        let kept = try fixture.database(of: "first").records([#require(name)], in: "myZone")
        #expect(try Array(kept[0].get().invitations.values) == [next])
    }

    /// Invites somebody to a share; a new invitation takes the place of the former one.
    private func invite(to share: String) throws -> String {
        let identifier = try RandomIdentifier.new()
        let wish = RecordChange.InvitationWish(.readWrite, expiry: ServiceFixture.now + 1_000)
        let save = RecordChange.Save(
            SystemType.share, .none, fields: [:], invitations: [identifier: wish])
        let results = try fixture.database(of: "first")
            .modify([RecordChange(share, .save(save))], in: "myZone")
        guard case .saved(let record) = results[0] else {
            throw RecordError(.internalError, "the share was not saved")
        }
        return try #require(record.invitations[identifier])
    }

    @Test("The owner changes the participants, and ends the share")
    func changes() throws {
        let made = try share(participant(other, "READ_ONLY"))
        let name = try #require(made.items.first?["shortGUID"]?.string)
        _ = try asked("records/accept", name)
        #expect(try modify(operation("create", "a")).code == "ACCESS_DENIED")
        let tag = try #require(fixture.lookUp("cloudkit.zoneshare").tag)
        #expect(tag != made.tag)
        let late = try share(
            participant(other, "READ_WRITE"), "update", name: "cloudkit.zoneshare", tag: made.tag)
        #expect(late.codes == ["CONFLICT"])
        let changed = try share(
            participant(other, "READ_WRITE"), "update", name: "cloudkit.zoneshare", tag: tag)
        #expect(changed.codes == [nil])
        #expect(try modify(operation("create", "a")).codes == [nil])
        // If the key `participants` is missing, nobody is added or removed.
        #expect(try share(nil, "forceUpdate", name: "cloudkit.zoneshare").codes == [nil])
        #expect(try lookUp("a").codes == [nil])
        #expect(try share("", "forceUpdate", name: "cloudkit.zoneshare").codes == [nil])
        #expect(try lookUp("a").code == "ZONE_NOT_FOUND")
        #expect(try fixture.modify(operation("forceDelete", "cloudkit.zoneshare")).codes == [nil])
        #expect(try asked("records/resolve", name).first?["serverErrorCode"]?.string == "NOT_FOUND")
    }

    @Test("A participant leaves by deleting the zone, and makes none")
    func leaving() throws {
        let made = try share(participant(other, "READ_WRITE"))
        let name = try #require(made.items.first?["shortGUID"]?.string)
        _ = try asked("records/accept", name)
        func zones(_ kind: String) throws -> ServiceReply {
            try fixture.ask(
                "zones/modify",
                "{\"operations\":[{\"operationType\":\"\(kind)\",\"zone\":{\"zoneID\":\(zone)}}]}",
                in: .shared, user: "second")
        }
        #expect(try zones("create").codes == ["ACCESS_DENIED"])
        #expect(try zones("delete").codes == [nil])
        #expect(try lookUp("a").code == "ZONE_NOT_FOUND")
        let left = try fixture.lookUp("cloudkit.zoneshare").items.first?["participants"]
        #expect(left?.count == 1)
    }

    @Test("Shares that cannot be are refused with the reason")
    func refusals() throws {
        let single = try share(nil, more: ",\"forRecord\":{\"recordName\":\"a\"}")
        #expect(single.codes == ["NOT_FOUND"])
        let named = try share(nil, name: "mine")
        #expect(named.codes == ["BAD_REQUEST"])
        let open = try share(nil, more: ",\"publicPermission\":\"READ_ONLY\"")
        #expect(open.codes == ["BAD_REQUEST"])
        let unknown = "_" + String(repeating: "7", count: 32)
        #expect(try share(participant(unknown, "READ_ONLY")).codes == ["NOT_FOUND"])
        #expect(try share(participant("nobody", "READ_ONLY")).codes == ["BAD_REQUEST"])
        #expect(try share(participant(other, "NONE")).codes == ["BAD_REQUEST"])
        #expect(try share("{\"userIdentity\":{}}").codes == ["BAD_REQUEST"])
        #expect(try share(participant(owner, "READ_ONLY")).codes == ["BAD_REQUEST"])
        #expect(try fixture.lookUp("cloudkit.zoneshare").codes == ["NOT_FOUND"])
    }

    @Test("Only a named user resolves or accepts a share")
    func strangers() throws {
        let made = try share("")
        let name = try #require(made.items.first?["shortGUID"]?.string)
        for operation in ["records/resolve", "records/accept"] {
            let refused = try #require(try asked(operation, name).first)
            #expect(refused["serverErrorCode"]?.string == "NOT_FOUND")
            #expect(refused["shortGUID"]?["value"]?.string == name)
            let wrong = try asked(operation, "00").first
            #expect(wrong?["serverErrorCode"]?.string == "NOT_FOUND")
            let nobody = try fixture.ask(
                operation, "{\"shortGUIDs\":[{\"value\":\"\(name)\"}]}", in: .public, user: nil)
            #expect(nobody.code == "AUTHENTICATION_REQUIRED")
        }
        let own = try #require(try asked("records/resolve", name, user: "first").first)
        #expect(own["participantType"]?.string == "OWNER")
        #expect(
            try asked("records/accept", name, user: "first").first?["serverErrorCode"]?.string
                == "BAD_REQUEST")
    }
}
