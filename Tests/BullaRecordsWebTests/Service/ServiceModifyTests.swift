import BullaRecords
import BullaRecordsWeb
import Testing

@Suite("Changing records through the service")
struct ServiceModifyTests {
    private let fixture: ServiceFixture

    init() throws {
        fixture = try ServiceFixture()
        try fixture.makeZone()
    }

    @Test("Apple's request, corrected, is saved and echoed with types and encryption")
    func appleCorrected() throws {
        let reply = try fixture.ask("records/modify", WebSamples.modify)
        #expect(reply.status == 200)
        #expect(reply.names == ["recordWithEncryptedFields"])
        let stored = try fixture.lookUp("recordWithEncryptedFields")
        for reply in [reply, stored] {
            #expect(reply.codes == [nil])
            let double = reply.field("myDoubleField")
            #expect(double?["value"]?.double == 0.55)
            #expect(double?["type"]?.string == "DOUBLE")
            #expect(double?["isEncrypted"]?.bool == true)
            let list = reply.field("myIntListField")
            #expect(list?["value"]?.elements.map(\.int64) == [123, 456, 789])
            #expect(list?["type"]?.string == "INT64_LIST")
            #expect(list?["isEncrypted"]?.bool == true)
        }
        #expect(stored.tag == reply.tag && stored.tag != nil)
        let schema = try fixture.core.schema().types["myRecordType"]
        #expect(schema?["myDoubleField"]?.isEncrypted == true)
    }

    @Test("Apple's request, as printed, is refused with the place, and saves nothing")
    func appleAsPrinted() throws {
        let reply = try fixture.ask("records/modify", WebSamples.modifyAsPrinted)
        #expect(reply.status == 400)
        #expect(reply.code == "BAD_REQUEST")
        let place = WebSamples.modifyAsPrinted.place(behind: "\"recordName\"") - 12
        #expect(
            reply.reason == "read the request: byte \(place): expected ',' or '}', found a quote")
        #expect(reply.json["uuid"]?.string?.utf8.count == 36)
        #expect(reply.failure?.identifier == reply.json["uuid"]?.string)
        #expect(try fixture.lookUp("recordWithEncryptedFields").codes == ["NOT_FOUND"])
    }

    @Test("A new record is made once, and named where it has no name")
    func create() throws {
        let made = try fixture.modify(operation("create", "a", fields: "\"t\":{\"value\":\"x\"}"))
        #expect(made.codes == [nil])
        #expect(try fixture.modify(operation("create", "a")).codes == ["CONFLICT"])
        #expect(try fixture.lookUp("a").tag == made.tag)
        let unnamed = try fixture.modify(operation("create", nil))
        #expect(unnamed.codes == [nil])
        #expect(unnamed.names[0].utf8.count == 36)
        #expect(try fixture.lookUp(unnamed.names[0]).codes == [nil])
        let stamp = made.items[0]["created"]
        #expect(stamp?["userRecordName"]?.string == WebSupport.account.userRecordName)
        #expect(stamp?["timestamp"]?.int64 == ServiceFixture.now)
    }

    @Test("An update keeps what it does not name, and a replacement does not")
    func updateAndReplace() throws {
        let fields = "\"t\":{\"value\":\"x\"},\"u\":{\"value\":1}"
        let made = try fixture.modify(operation("create", "a", fields: fields))
        let updated = try fixture.modify(
            operation(
                "update", "a", type: nil, tag: made.tag, fields: "\"t\":{\"value\":\"y\"}"))
        #expect(updated.codes == [nil])
        #expect(updated.field("t")?["value"]?.string == "y")
        #expect(updated.field("u")?["value"]?.int64 == 1)
        #expect(updated.tag != made.tag)
        for kind in ["update", "replace", "delete"] {
            let late = try fixture.modify(operation(kind, "a", tag: made.tag))
            #expect(late.codes == ["CONFLICT"])
        }
        let without = try fixture.modify(operation("update", "a"))
        #expect(without.codes == ["CONFLICT"])
        let replaced = try fixture.modify(
            operation(
                "replace", "a", type: nil, tag: updated.tag, fields: "\"t\":{\"value\":\"z\"}"))
        #expect(replaced.codes == [nil])
        #expect(replaced.field("t")?["value"]?.string == "z")
        #expect(replaced.field("u") == nil)
    }

    @Test("A forced operation overwrites whatever is there")
    func force() throws {
        let fields = "\"t\":{\"value\":\"x\"},\"u\":{\"value\":1}"
        #expect(try fixture.modify(operation("forceUpdate", "a", fields: fields)).codes == [nil])
        let updated = try fixture.modify(
            operation(
                "forceUpdate", "a", type: nil, tag: "AAAAAAAAAAA=",
                fields: "\"t\":{\"value\":null,\"type\":\"STRING\"}"))
        #expect(updated.codes == [nil])
        #expect(updated.field("t") == nil && updated.field("u") != nil)
        let replaced = try fixture.modify(operation("forceReplace", "a", type: nil, fields: ""))
        #expect(replaced.codes == [nil])
        #expect(replaced.field("u") == nil)
        #expect(try fixture.modify(operation("forceDelete", "a", type: nil)).codes == [nil])
        #expect(try fixture.lookUp("a").codes == ["NOT_FOUND"])
    }

    @Test("A record is deleted, and so is one that was never there")
    func delete() throws {
        let made = try fixture.modify(operation("create", "a"))
        let deleted = try fixture.modify(operation("delete", "a", type: nil, tag: made.tag))
        #expect(deleted.items[0]["deleted"]?.bool == true)
        #expect(try fixture.modify(operation("delete", "a", type: nil)).codes == [nil])
        let unknown = try fixture.modify(operation("delete", "a", type: nil, tag: made.tag))
        #expect(unknown.codes == ["NOT_FOUND"])
        let update = try fixture.modify(operation("update", "a", tag: made.tag))
        #expect(update.codes == ["NOT_FOUND"])
        let untyped = try fixture.modify(operation("forceUpdate", "a", type: nil))
        #expect(untyped.codes == ["BAD_REQUEST"])
    }

    @Test("An untyped number is of the kind that the type of the stored record defines")
    func kindOfStoredType() throws {
        let fields = "\"d\":{\"value\":1,\"type\":\"DOUBLE\"}"
        let made = try fixture.modify(operation("create", "a", fields: fields))
        let updated = try fixture.modify(
            operation("update", "a", type: nil, tag: made.tag, fields: "\"d\":{\"value\":2}"))
        #expect(updated.codes == [nil])
        #expect(updated.field("d")?["type"]?.string == "DOUBLE")
    }

    @Test("Of a batch in a zone all is saved or nothing, unless the request says otherwise")
    func atomic() throws {
        _ = try fixture.modify(operation("create", "there"))
        let bad = operation("create", "there")
        let failed = try fixture.modify(operation("create", "b"), bad, operation("create", "c"))
        #expect(failed.status == 200)
        #expect(failed.codes == ["ATOMIC_ERROR", "CONFLICT", "ATOMIC_ERROR"])
        let untyped = operation(
            "create", "d", fields: "\"s\":{\"value\":\"x\",\"isEncrypted\":true}")
        let refused = try fixture.modify(operation("create", "b"), untyped)
        #expect(refused.codes == ["ATOMIC_ERROR", "BAD_REQUEST"])
        #expect(try fixture.lookUp("b").codes == ["NOT_FOUND"])
        let each = try fixture.modify(
            operation("create", "b"), bad, untyped, more: ",\"atomic\":false")
        #expect(each.codes == [nil, "CONFLICT", "BAD_REQUEST"])
        #expect(try fixture.lookUp("b").codes == [nil])
        let unzoned = try fixture.modify(
            operation("create", "x"), operation("create", "x2", type: "_"), zone: "_defaultZone")
        #expect(unzoned.codes == [nil, "BAD_REQUEST"])
    }

    @Test("Records of several zones are changed zone by zone, in the order of the request")
    func zones() throws {
        try fixture.makeZone("other")
        func inZone(_ name: String, _ zone: String) -> String {
            operation("create", name, more: ",\"zoneID\":{\"zoneName\":\"\(zone)\"}")
        }
        let operations = [inZone("a", "other"), inZone("b", "gone"), inZone("c", "myZone")]
        let joined = operations.joined(separator: ",")
        let reply = try fixture.modify(joined)
        #expect(reply.names == ["a", "b", "c"])
        #expect(reply.codes == [nil, "ZONE_NOT_FOUND", nil])
        #expect(reply.items[0]["zoneID"]?["zoneName"]?.string == "other")
        let atomic = try fixture.modify(joined, more: ",\"atomic\":true")
        #expect(atomic.status == 400)
        #expect(try fixture.modify(inZone("b", "gone")).code == "ZONE_NOT_FOUND")
    }

    @Test("An answer has the keys that were asked for, with numbers in quotes if so asked")
    func forms() throws {
        let fields = "\"t\":{\"value\":\"x\"},\"u\":{\"value\":\"7\",\"type\":\"INT64\"}"
        let reply = try fixture.modify(
            operation("create", "a", fields: fields),
            more: ",\"desiredKeys\":[\"u\"],\"numbersAsStrings\":true")
        #expect(reply.codes == [nil])
        #expect(reply.field("t") == nil)
        #expect(reply.field("u")?["value"]?.string == "7")
    }

    @Test("More operations than a request may have, and one record twice, are refused as a whole")
    func limits() throws {
        let many = (0...200).map { operation("create", "r\($0)") }.joined(separator: ",")
        let reply = try fixture.modify(many)
        #expect(reply.status == 400 && reply.code == "BAD_REQUEST")
        #expect(reply.reason?.contains("at most 200") == true)
        #expect(try fixture.lookUp("r0").codes == ["NOT_FOUND"])
        let twice = try fixture.modify(operation("create", "a"), operation("delete", "a"))
        #expect(twice.status == 400 && twice.code == "BAD_REQUEST")
    }
}
