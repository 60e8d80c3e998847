import BullaRecords
import BullaRecordsWeb
import Testing

@Suite("What the service refuses of encrypted fields, schemas and zones")
struct ServiceRefusalTests {
    private static let sealed = "{\"value\":\"x\",\"type\":\"STRING\",\"isEncrypted\":true}"

    @Test("An encrypted write without its type is refused, in the words that clients know")
    func untyped() throws {
        let fixture = try ServiceFixture()
        try fixture.makeZone()
        let fields = "\"secret\":\(Self.sealed)"
        #expect(try fixture.modify(operation("create", "a", fields: fields)).codes == [nil])
        let untyped = "\"secret\":{\"value\":\"x\",\"isEncrypted\":true}"
        for type in ["Note", nil] {
            let reply = try fixture.modify(
                operation(type == nil ? "forceUpdate" : "create", "a", type: type, fields: untyped))
            #expect(reply.status == 200 && reply.codes == ["BAD_REQUEST"])
            #expect(
                reply.reasons == [
                    joined(
                        "invalid attempt to set value type ENCRYPTED_BYTES for field 'secret' ",
                        "for type 'Note', defined to be: ENCRYPTED_STRING")
                ])
        }
    }

    @Test("References and assets are not encrypted")
    func unsealable() throws {
        let fixture = try ServiceFixture()
        try fixture.makeZone()
        for field in [
            "{\"value\":{\"recordName\":\"b\"},\"type\":\"REFERENCE\",\"isEncrypted\":true}",
            "{\"value\":{\"receipt\":\"b\"},\"type\":\"ASSETID\",\"isEncrypted\":true}",
        ] {
            let reply = try fixture.modify(operation("create", "a", fields: "\"f\":\(field)"))
            #expect(reply.codes == ["BAD_REQUEST"])
            #expect(reply.reasons[0].contains("expected a type that can be encrypted"))
        }
    }

    @Test("A field is encrypted or plain, and stays what it is")
    func bothWays() throws {
        let fixture = try ServiceFixture()
        try fixture.makeZone()
        let plain = "{\"value\":\"x\"}"
        let fields = "\"s\":\(Self.sealed),\"p\":\(plain)"
        #expect(try fixture.modify(operation("create", "a", fields: fields)).codes == [nil])
        for (name, kind, field) in [
            ("a", "forceUpdate", "\"s\":\(plain)"), ("a", "forceUpdate", "\"p\":\(Self.sealed)"),
            ("b", "create", "\"s\":\(plain)"), ("b", "create", "\"p\":\(Self.sealed)"),
        ] {
            let reply = try fixture.modify(operation(kind, name, fields: field))
            #expect(reply.codes == ["BAD_REQUEST"])
        }
        let twice = "\"n\":\(plain),\"n\":\(Self.sealed)"
        let reply = try fixture.modify(operation("create", "b", fields: twice))
        #expect(reply.status == 400 && reply.code == "BAD_REQUEST")
    }

    @Test("The public database keeps no encrypted fields, and makes no zones")
    func inPublic() throws {
        let fixture = try ServiceFixture()
        let reply = try fixture.modify(
            operation("create", "a", fields: "\"s\":\(Self.sealed)"), zone: "_defaultZone",
            in: .public)
        #expect(reply.codes == ["BAD_REQUEST"])
        let zone = try fixture.ask(
            "zones/modify",
            "{\"operations\":[{\"operationType\":\"create\",\"zone\":{\"zoneID\":"
                + "{\"zoneName\":\"z\"}}}]}", in: .public)
        #expect(zone.codes == ["BAD_REQUEST"])
    }

    @Test("No query asks for an encrypted field, by filter or by order")
    func queries() throws {
        let fixture = try ServiceFixture()
        try fixture.makeZone()
        let fields = "\"s\":\(Self.sealed)"
        #expect(try fixture.modify(operation("create", "a", fields: fields)).codes == [nil])
        for part in [
            "\"filterBy\":[{\"comparator\":\"EQUALS\",\"fieldName\":\"s\",\"fieldValue\":"
                + "{\"value\":\"unsaid\",\"type\":\"STRING\"}}]",
            "\"sortBy\":[{\"fieldName\":\"s\"}]",
        ] {
            let reply = try fixture.ask(
                "records/query",
                "{\"query\":{\"recordType\":\"Note\",\(part)},\"zoneID\":{\"zoneName\":\"myZone\"}}"
            )
            #expect(reply.status == 400 && reply.code == "BAD_REQUEST")
            #expect(!reply.text.contains("unsaid"))
        }
    }

    @Test("In production a field that was not promoted is refused")
    func production() throws {
        let fixture = try ServiceFixture(.production)
        let development = RecordSchema(types: [
            "Note": {
                var type = RecordType()
                type.set("known", to: SchemaField(FieldKind(.string)))
                return type
            }()
        ])
        try fixture.core.promote(from: development)
        try fixture.makeZone()
        let known = operation("create", "a", fields: "\"known\":{\"value\":\"x\"}")
        #expect(try fixture.modify(known).codes == [nil])
        for unknown in [
            operation("create", "b", fields: "\"unknown\":{\"value\":\"x\"}"),
            operation("create", "b", type: "Other"),
        ] {
            #expect(try fixture.modify(unknown).codes == ["BAD_REQUEST"])
        }
    }

    @Test("After a reset of keys every read of a former zone says so")
    func reset() throws {
        let fixture = try ServiceFixture()
        try fixture.makeZone()
        let fields = "\"s\":\(Self.sealed)"
        #expect(try fixture.modify(operation("create", "a", fields: fields)).codes == [nil])
        let zone = "\"zoneID\":{\"zoneName\":\"myZone\"}"
        for (path, body) in [
            ("records/lookup", "{\"records\":[{\"recordName\":\"a\"}],\(zone)}"),
            ("records/query", "{\"query\":{\"recordType\":\"Note\"},\(zone)}"),
            ("records/changes", "{\(zone)}"),
            ("records/modify", "{\"operations\":[\(operation("create", "b"))],\(zone)}"),
        ] {
            let reply = try fixture.ask(path, body, user: "reset")
            #expect(reply.status == 404 && reply.code == "ZONE_NOT_FOUND")
            #expect(reply.json["userDidResetEncryptedData"]?.bool == true)
        }
        for path in ["zones/lookup", "changes/zone"] {
            let reply = try fixture.ask(path, "{\"zones\":[{\(zone)}]}", user: "reset")
            #expect(reply.codes == ["ZONE_NOT_FOUND"])
            #expect(reply.items[0]["userDidResetEncryptedData"]?.bool == true)
        }
        #expect(try fixture.lookUp("a").codes == [nil])
    }

    @Test("A zone of somebody else is not found")
    func strangers() throws {
        let fixture = try ServiceFixture()
        try fixture.makeZone()
        #expect(try fixture.lookUp("a", user: "second").code == "ZONE_NOT_FOUND")
        let owner = WebSupport.account.userRecordName
        let reply = try fixture.ask(
            "records/lookup",
            "{\"records\":[{\"recordName\":\"a\"}],\"zoneID\":{\"zoneName\":\"myZone\","
                + "\"ownerRecordName\":\"\(owner)\"}}", user: "second")
        #expect(reply.status == 404 && reply.code == "ZONE_NOT_FOUND")
        #expect(try fixture.ask("zones/list", in: .shared, user: "second").items.isEmpty)
    }

    @Test("The default zone has no feed")
    func noFeed() throws {
        let fixture = try ServiceFixture()
        #expect(try fixture.ask("records/changes", "{}").code == "BAD_REQUEST")
    }

    @Test("A record keeps its type, whatever a request says")
    func otherType() throws {
        let fixture = try ServiceFixture()
        try fixture.makeZone()
        _ = try fixture.modify(operation("create", "a"))
        let reply = try fixture.modify(operation("forceUpdate", "a", type: "Other"))
        #expect(reply.codes == ["BAD_REQUEST"])
    }
}
