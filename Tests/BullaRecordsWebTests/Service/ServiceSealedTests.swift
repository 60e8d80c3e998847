import BullaRecords
import BullaRecordsWeb
import Testing

@Suite("Answers without what is sealed")
struct ServiceSealedTests {
    private let fixture: ServiceFixture

    init() throws {
        fixture = try ServiceFixture()
        try fixture.defineNotes()
        try fixture.makeZone()
    }

    private static let keep = "\"keepSealed\":true"
    private static let zone = "\"zoneID\":{\"zoneName\":\"myZone\"}"
    private static let fields = """
        "n":{"value":1},"t":{"value":"canary","type":"STRING","isEncrypted":true},
        "l":{"value":["canary"],"type":"STRING_LIST","isEncrypted":true}
        """

    private func check(_ reply: ServiceReply) {
        #expect(!reply.text.contains("canary"))
        let field = reply.field("t")
        #expect(field?["value"] == nil && field?["type"]?.string == "STRING")
        #expect(field?["isEncrypted"]?.bool == true)
        #expect(reply.field("l")?["type"]?.string == "STRING_LIST")
        #expect(reply.field("n")?["value"]?.int64 == 1)
    }

    @Test("A saved record comes back, and is looked up, queried and followed, without its values")
    func operations() throws {
        let saved = operation("create", "a", fields: Self.fields)
        check(try fixture.modify(saved, more: ",\(Self.keep)"))
        let body = "\(Self.zone),\(Self.keep)"
        check(try fixture.ask("records/lookup", "{\"records\":[{\"recordName\":\"a\"}],\(body)}"))
        check(try fixture.ask("records/query", "{\"query\":{\"recordType\":\"Note\"},\(body)}"))
        check(try fixture.ask("records/changes", "{\(body)}"))
        let zones = "{\"zones\":[{\(Self.zone)}],\(Self.keep)}"
        #expect(try !fixture.ask("changes/zone", zones).text.contains("canary"))
        #expect(try fixture.lookUp("a").field("t")?["value"]?.string == "canary")
    }

    @Test("Desired keys leave out more")
    func desiredKeys() throws {
        _ = try fixture.modify(operation("create", "a", fields: Self.fields))
        let reply = try fixture.ask(
            "records/lookup",
            """
            {"records":[{"recordName":"a"}],\(Self.zone),\(Self.keep),"desiredKeys":["n"]}
            """)
        #expect(reply.field("n") != nil && reply.field("t") == nil)
    }

    @Test("A file has no address in private databases until it is asked for")
    func files() throws {
        let asset = try fixture.upload([1, 2, 3], record: "a")
        let saved = try fixture.modify(
            operation("create", "a", fields: assetField(asset)), more: ",\(Self.keep)")
        #expect(saved.field("file")?["type"]?.string == "ASSETID")
        #expect(saved.field("file")?["value"] == nil && !saved.text.contains("download"))
        #expect(try fixture.file("a") == [1, 2, 3])
    }

    @Test("Only true or false can say so")
    func refusal() throws {
        let reply = try fixture.ask(
            "records/lookup", "{\"records\":[],\(Self.zone),\"keepSealed\":1}")
        #expect(reply.code == "BAD_REQUEST")
    }
}
