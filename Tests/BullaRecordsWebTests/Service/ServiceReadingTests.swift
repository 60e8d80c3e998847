import BullaRecords
import BullaRecordsWeb
import Testing

@Suite("Reading through the service")
struct ServiceReadingTests {
    private static let zone = "\"zoneID\":{\"zoneName\":\"myZone\"}"

    /// A service with 25 records `r00` to `r24`, each with a text and its number.
    private func filled(
        _ limits: WebLimits = WebLimits(), textByteCount: Int = 10
    ) throws -> ServiceFixture {
        let fixture = try ServiceFixture(limits: limits)
        try fixture.defineNotes()
        try fixture.makeZone()
        let text = String(repeating: "x", count: textByteCount)
        for index in 0..<25 {
            let fields =
                "\"n\":{\"value\":\(index)},\"t\":{\"value\":\"\(text)\",\"type\":\"STRING\","
                + "\"isEncrypted\":true}"
            let reply = try fixture.modify(operation("create", Self.name(index), fields: fields))
            try #require(reply.codes == [nil])
        }
        return fixture
    }

    private static func name(_ index: Int) -> String { index < 10 ? "r0\(index)" : "r\(index)" }

    private static let names = (0..<25).map(name)

    @Test("Records are looked up in the order of the request, with those that are missing")
    func lookup() throws {
        let fixture = try filled()
        try fixture.makeZone("other")
        let reply = try fixture.ask(
            "records/lookup",
            """
            {"records":[{"recordName":"r03"},{"recordName":"none"},
            {"recordName":"r01","desiredKeys":["n"]},
            {"recordName":"r02","zoneID":{"zoneName":"other"}}],\(Self.zone)}
            """)
        #expect(reply.status == 200)
        #expect(reply.names == ["r03", "none", "r01", "r02"])
        #expect(reply.codes == [nil, "NOT_FOUND", nil, "NOT_FOUND"])
        #expect(reply.items[0]["fields"]?.count == 2)
        #expect(reply.items[2]["fields"]?.count == 1)
        #expect(reply.items.allSatisfy { $0["uuid"] == nil })
        #expect(try fixture.lookUp("r03", zone: "gone").status == 404)
    }

    /// All pages of a query.
    private func pages(_ fixture: ServiceFixture, _ query: String, more: String) throws
        -> [[String]]
    {
        var pages: [[String]] = []
        var marker = ""
        while pages.count < 60 {
            let reply = try fixture.ask(
                "records/query", "{\"query\":\(query),\(Self.zone)\(more)\(marker)}")
            try #require(reply.status == 200)
            pages.append(reply.names)
            guard let next = reply.json["continuationMarker"]?.string else { break }
            marker = ",\"continuationMarker\":\"\(next)\""
        }
        return pages
    }

    @Test("A query goes on until it has told all, in pages of the size that was asked for")
    func query() throws {
        let fixture = try filled()
        let sorted = "{\"recordType\":\"Note\",\"sortBy\":[{\"fieldName\":\"n\"}]}"
        let pages = try pages(fixture, sorted, more: ",\"resultsLimit\":10")
        #expect(pages.flatMap { $0 } == Self.names)
        #expect(pages.allSatisfy { $0.count <= 10 })
        #expect(pages.count >= 3)
        let filter = """
            {"recordType":"Note","filterBy":[{"comparator":"LESS_THAN","fieldName":"n",
            "fieldValue":{"value":7}}]}
            """
        #expect(try self.pages(fixture, filter, more: "").flatMap { $0 } == Array(Self.names[..<7]))
        let unlisted = try fixture.ask(
            "records/query", "{\"query\":{\"recordType\":\"None\"},\(Self.zone)}")
        #expect(unlisted.status == 404 || unlisted.status == 400)
        let reply = try fixture.ask(
            "records/query",
            "{\"query\":\(sorted),\(Self.zone),\"continuationMarker\":\"AAAA\"}")
        #expect(reply.status == 400 && reply.code == "BAD_REQUEST")
    }

    @Test("An answer that would be too long has fewer records, and tells where to go on")
    func longAnswers() throws {
        var limits = WebLimits()
        limits.answerByteCount = 10_000
        let fixture = try filled(limits, textByteCount: 2_000)
        let sorted = "{\"recordType\":\"Note\",\"sortBy\":[{\"fieldName\":\"n\"}]}"
        let pages = try pages(fixture, sorted, more: "")
        #expect(pages.flatMap { $0 } == Self.names)
        #expect(pages.allSatisfy { $0.count <= 4 })
        #expect(pages.contains { $0.count > 2 })
        let changes = try followed(fixture, more: "")
        #expect(Set(changes.flatMap { $0 }) == Set(Self.names))
        #expect(changes.allSatisfy { $0.count <= 4 })
        let wanted = Self.names.map { "{\"recordName\":\"\($0)\"}" }.joined(separator: ",")
        let looked = try fixture.ask("records/lookup", "{\"records\":[\(wanted)],\(Self.zone)}")
        #expect(looked.names == Self.names)
        #expect(looked.codes.prefix(4) == [nil, nil, nil, nil])
        #expect(looked.codes.suffix(20).allSatisfy { $0 == "BAD_REQUEST" })
        #expect(looked.text.utf8.count < 15_000)
        let all = Self.names.map { operation("forceUpdate", $0, type: nil) }
        let modified = try fixture.modify(all.joined(separator: ","))
        #expect(modified.names == Self.names)
        #expect(modified.codes.allSatisfy { $0 == nil })
        #expect(modified.items[0]["fields"]?.count == 2)
        #expect(modified.items[24]["fields"]?.count == 0)
        #expect(try fixture.lookUp("r24").field("t") != nil)
    }

    /// All pages of a zone's changes.
    private func followed(_ fixture: ServiceFixture, more: String) throws -> [[String]] {
        var pages: [[String]] = []
        var token = ""
        while pages.count < 60 {
            let reply = try fixture.ask("records/changes", "{\(Self.zone)\(more)\(token)}")
            try #require(reply.status == 200)
            pages.append(reply.names)
            let next = try #require(reply.json["syncToken"]?.string)
            token = ",\"syncToken\":\"\(next)\""
            guard reply.json["moreComing"]?.bool == true else { break }
        }
        return pages
    }

    @Test("A follower of a zone's changes has what the zone has")
    func changes() throws {
        let fixture = try filled()
        let pages = try followed(fixture, more: ",\"resultsLimit\":10")
        #expect(pages.map(\.count) == [10, 10, 5])
        #expect(Set(pages.flatMap { $0 }) == Set(Self.names))
        let all = try fixture.ask("records/changes", "{\(Self.zone)}")
        let token = try #require(all.json["syncToken"]?.string)
        _ = try fixture.modify(operation("forceDelete", "r07", type: nil))
        _ = try fixture.modify(operation("create", "new"))
        _ = try fixture.modify(operation("create", "else", type: "Other"))
        let since = "\(Self.zone),\"syncToken\":\"\(token)\""
        let later = try fixture.ask("records/changes", "{\(since)}")
        #expect(Set(later.names) == ["r07", "new", "else"])
        let deleted = later.items.first { $0["recordName"]?.string == "r07" }
        #expect(deleted?["deleted"]?.bool == true)
        let ofType = try fixture.ask(
            "records/changes", "{\(since),\"desiredRecordTypes\":[\"Other\"]}")
        #expect(ofType.names == ["else"])
        let zones = try fixture.ask(
            "changes/zone", "{\"zones\":[{\(since)},{\"zoneID\":{\"zoneName\":\"gone\"}}]}")
        #expect(zones.status == 200)
        #expect(zones.codes == [nil, "ZONE_NOT_FOUND"])
        #expect(zones.items[0]["records"]?.count == 3)
        #expect(zones.items[0]["moreComing"]?.bool == false)
        #expect(try fixture.ask("records/changes", "{\(Self.zone),\"reverse\":true}").status == 400)
        #expect(
            try fixture.ask("records/changes", "{\(Self.zone),\"syncToken\":\"AAAA\"}").code
                == "BAD_REQUEST")
    }

    @Test("A database's changes name the zones that have changed, and why others are gone")
    func databaseChanges() throws {
        let fixture = try ServiceFixture()
        for name in ["a", "b", "c"] { try fixture.makeZone(name) }
        func ask(_ token: String?, more: String = "", user: String = "first") throws
            -> ServiceReply
        {
            let since = token.map { "\"syncToken\":\"\($0)\"" } ?? "\"syncToken\":null"
            return try fixture.ask("changes/database", "{\(since)\(more)}", user: user)
        }
        func names(_ reply: ServiceReply) -> [String?] {
            reply.items.map { $0["zoneID"]?["zoneName"]?.string }
        }
        let first = try ask(nil, more: ",\"resultsLimit\":2")
        #expect(names(first).count == 2)
        #expect(first.json["moreComing"]?.bool == true)
        let second = try ask(first.json["syncToken"]?.string)
        #expect(Set(names(first) + names(second)) == ["a", "b", "c"])
        #expect(second.json["moreComing"]?.bool == false)
        let token = second.json["syncToken"]?.string
        #expect(try ask(token).items.isEmpty)
        _ = try fixture.modify(operation("create", "r"), zone: "a")
        _ = try fixture.ask(
            "zones/modify",
            "{\"operations\":[{\"operationType\":\"delete\",\"zone\":{\"zoneID\":"
                + "{\"zoneName\":\"b\"}}}]}")
        for isAsked in [false, true] {
            let later = try ask(token, more: ",\"deletionReasons\":\(isAsked)")
            #expect(Set(names(later)) == ["a", "b"])
            let gone = later.items.first { $0["deleted"]?.bool == true }
            #expect(gone?["zoneID"]?["zoneName"]?.string == "b")
            #expect(gone?["deletionReason"]?.string == (isAsked ? "DELETED" : nil))
        }
        let reset = try ask(nil, more: ",\"deletionReasons\":true", user: "reset")
        #expect(
            reset.items.map { $0["deletionReason"]?.string }
                == ["ENCRYPTED_DATA_RESET", "ENCRYPTED_DATA_RESET"])
    }

    @Test("A token of a zone that was made again is too old")
    func expired() throws {
        let fixture = try filled()
        let all = try fixture.ask("records/changes", "{\(Self.zone)}")
        let token = try #require(all.json["syncToken"]?.string)
        let deleted = try fixture.ask(
            "zones/modify",
            "{\"operations\":[{\"operationType\":\"delete\",\"zone\":{\(Self.zone)}}]}")
        #expect(deleted.items[0]["deleted"]?.bool == true)
        #expect(try fixture.lookUp("r00").code == "ZONE_NOT_FOUND")
        try fixture.makeZone()
        let reply = try fixture.ask(
            "records/changes", "{\(Self.zone),\"syncToken\":\"\(token)\"}")
        #expect(reply.code == "BAD_REQUEST")
        #expect(reply.reason?.contains("changeTokenExpired") == true)
    }

    @Test("Zones are listed, looked up, made and deleted")
    func zones() throws {
        let fixture = try ServiceFixture()
        func names(_ reply: ServiceReply) -> [String?] {
            reply.items.map { $0["zoneID"]?["zoneName"]?.string }
        }
        #expect(try names(fixture.ask("zones/list")) == ["_defaultZone"])
        try fixture.makeZone("a")
        try fixture.makeZone("a")
        for (method, body) in [("GET", ""), ("POST", ""), ("POST", "{}")] {
            let listed = try fixture.ask("zones/list", body, method: method)
            #expect(names(listed) == ["_defaultZone", "a"])
            #expect(listed.items.allSatisfy { $0["atomic"] == nil })
        }
        let found = try fixture.ask(
            "zones/lookup",
            "{\"zones\":[{\"zoneName\":\"a\"},{\"zoneName\":\"b\"},"
                + "{\"zoneName\":\"_defaultZone\"}]}"
        )
        #expect(found.codes == [nil, "ZONE_NOT_FOUND", nil])
        #expect(names(found) == ["a", "b", "_defaultZone"])
        func part(_ kind: String, _ name: String) -> String {
            "{\"operationType\":\"\(kind)\",\"zone\":{\"zoneID\":{\"zoneName\":\"\(name)\"}}}"
        }
        let parts = [
            part("create", "c"), part("delete", "a"), part("delete", "b"), part("create", "_d"),
            part("delete", "_defaultZone"),
        ]
        let modified = try fixture.ask(
            "zones/modify", "{\"operations\":[\(parts.joined(separator: ","))]}")
        #expect(modified.status == 200)
        #expect(
            modified.codes == [nil, nil, "ZONE_NOT_FOUND", "BAD_REQUEST", "BAD_REQUEST"])
        #expect(try names(fixture.ask("zones/list")) == ["_defaultZone", "c"])
    }
}
