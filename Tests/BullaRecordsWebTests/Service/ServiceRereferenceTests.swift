import BullaRecords
import BullaRecordsWeb
import BullaTestSupport
import Testing

@Suite("Referring to files that records hold")
struct ServiceRereferenceTests {
    private let fixture: ServiceFixture
    private let owner = WebSupport.account.userRecordName

    init() throws {
        fixture = try ServiceFixture()
        try fixture.makeZone()
    }

    /// Saves a record with a file in `file`.
    private func hold(
        _ file: [UInt8], _ record: String = "a", type: String = "Note", zone: String = "myZone",
        in scope: DatabaseScope = .private
    ) throws {
        let asset = try fixture.upload(file, type: type, zone: zone, in: scope)
        let saved = try fixture.modify(
            operation("create", record, type: type, fields: assetField(asset)), zone: zone,
            in: scope)
        try #require(saved.codes == [nil], "\(saved.text)")
    }

    private func ask(
        _ items: String..., zone: String = "myZone", in scope: DatabaseScope = .private,
        owner: String? = nil, user: String? = "first"
    ) throws -> ServiceReply {
        let named = owner.map { ",\"ownerRecordName\":\"\($0)\"" } ?? ""
        return try fixture.ask(
            "assets/rereference",
            """
            {"assets":[\(items.joined(separator: ","))],
            "zoneID":{"zoneName":"\(zone)"\(named)}}
            """, in: scope, user: user)
    }

    private func item(_ record: String, _ field: String = "file", more: String = "") -> String {
        "{\"recordName\":\"\(record)\",\"fieldName\":\"\(field)\"\(more)}"
    }

    /// The dictionary that the answer has for an item, as text.
    private func asset(_ item: String, zone: String = "myZone", in scope: DatabaseScope = .private)
        throws -> String
    {
        let reply = try ask(item, zone: zone, in: scope)
        let asset = try #require(reply.assets.first)
        try #require(asset["receipt"]?.string != nil, "\(reply.text)")
        return asset.assetText
    }

    @Test("A second record holds a file without a new upload, and outlives the first")
    func held() throws {
        var random = TestRandom(seed: 3)
        let file = random.bytes(5 << 18)
        try hold(file)
        let reply = try ask(item("a"))
        let found = try #require(reply.assets.first)
        let keys = Set(found.members.compactMap { $0.0.string })
        #expect(
            keys == ["wrappingKey", "fileChecksum", "receipt", "referenceChecksum", "size"])
        #expect(found["size"]?.int64 == Int64(file.count))
        let saved = try fixture.modify(
            operation("create", "b", fields: assetField(found.assetText)))
        #expect(saved.codes == [nil])
        #expect(try fixture.file("b") == file)
        let (first, second) = (try stored("a"), try stored("b"))
        #expect(first == second && first?.asset == second?.asset)

        #expect(try fixture.modify(operation("forceDelete", "a", type: nil)).codes == [nil])
        fixture.time.pass(3_600_001)
        #expect(try fixture.core.freeOrphans() == 0)
        #expect(try fixture.file("b") == file)
        let target = try fixture.downloadTarget("b")
        #expect(try fixture.modify(operation("forceDelete", "b", type: nil)).codes == [nil])
        let error = #expect(throws: WebError.self) { try fixture.download(target) }
        #expect(error?.code == .notFound)
    }

    /// The descriptor in a record's field, as the store has it.
    private func stored(_ name: String) throws -> AssetDescriptor? {
        let record = try fixture.database(of: "first").records([name], in: "myZone")[0].get()
        guard case .asset(let asset) = try record.value(of: "file") else { return nil }
        return asset
    }

    @Test("Equal files that were sent twice share nothing, whatever refers to them")
    func equalFiles() throws {
        try hold([1, 2, 3], "a")
        try hold([1, 2, 3], "b")
        let copy = try asset(item("a"))
        _ = try fixture.modify(operation("create", "c", fields: assetField(copy)))
        let (first, second) = (try stored("a"), try stored("b"))
        #expect(first?.asset != second?.asset && first?.key != second?.key)
        #expect(try stored("c") == first)
    }

    @Test("A receipt is for one account, zone, type and field, and the request can name these")
    func bound() throws {
        try fixture.makeZone("other")
        try hold([7])
        let plain = try asset(item("a"))
        func refusal(
            _ asset: String, _ record: String = "b", type: String = "Note", field: String = "file",
            zone: String = "myZone", in scope: DatabaseScope = .private, user: String = "first"
        ) throws -> String? {
            let reply = try fixture.modify(
                operation("create", record, type: type, fields: assetField(asset, field)),
                zone: zone, in: scope, user: user)
            return reply.codes == [nil] ? nil : reply.reasons.first ?? reply.text
        }
        #expect(try refusal(plain, type: "Text")?.hasSuffix("for another record type") == true)
        #expect(try refusal(plain, field: "f")?.hasSuffix("for another field") == true)
        #expect(try refusal(plain, zone: "other")?.hasSuffix("for another zone") == true)
        let inPublic = try refusal(plain, zone: "_defaultZone", in: .public)
        #expect(inPublic?.hasSuffix("for another zone") == true)
        _ = try fixture.ask(
            "zones/modify",
            """
            {"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"myZone"}}}]}
            """, user: "second")
        #expect(try refusal(plain, user: "second")?.hasSuffix("for another account") == true)
        let destination = """
            ,"destination":{"recordName":"t","recordType":"Text","fieldName":"f"}
            """
        let named = try asset(item("a", more: destination))
        #expect(try refusal(named, "u", type: "Text", field: "f")?.hasSuffix("record") == true)
        #expect(try refusal(named, "t")?.hasSuffix("for another record type") == true)
        #expect(try refusal(named, "t", type: "Text", field: "f") == nil)
        #expect(try fixture.file("t", field: "f") == [7])
        fixture.time.pass(3_599_999)
        #expect(try refusal(plain) == nil)
        fixture.time.pass(1)
        #expect(try refusal(plain, "c")?.contains("too old") == true)
    }

    @Test("A list's files are named by their checksums")
    func lists() throws {
        let files = try (1...2).map { try fixture.upload([$0], field: "files") }
        let list = "\"files\":{\"value\":[\(files[0]),\(files[1])],\"type\":\"ASSETID_LIST\"}"
        #expect(try fixture.modify(operation("create", "a", fields: list)).codes == [nil])
        #expect(
            try ask(item("a", "files")).refusals == [
                "the field holds 2 assets: name one by its fileChecksum"
            ])
        let checksum = try #require(WebSupport.json(files[1])["fileChecksum"]?.string)
        let wrong = try ask(item("a", "files", more: ",\"fileChecksum\":\"AAAA\""))
        #expect(wrong.refusals == ["the field does not hold the asset with this checksum"])
        let second = try asset(item("a", "files", more: ",\"fileChecksum\":\"\(checksum)\""))
        let saved = try fixture.modify(
            operation(
                "create", "b",
                fields: "\"files\":{\"value\":[\(second)],\"type\":\"ASSETID_LIST\"}"))
        #expect(saved.codes == [nil])
        let held = try fixture.lookUp("b").field("files")?["value"]?.elements.first { _ in true }
        let target = try ServiceFixture.target(of: #require(held?["downloadURL"]?.string))
        #expect(try fixture.download(target).bytes() == [2])
    }

    @Test("What holds no file is refused with the reason, and the other items are answered")
    func refusals() throws {
        try hold([1])
        let secret = "\"t\":{\"value\":\"x\",\"type\":\"STRING\",\"isEncrypted\":true}"
        let fields = "\(secret),\"n\":{\"value\":1},\"none\":{\"value\":[],\"type\":\"INT64_LIST\"}"
        _ = try fixture.modify(operation("create", "b", fields: fields))
        let reply = try ask(
            item("b", "t"), item("a"), item("b", "n"), item("b", "file"), item("c"),
            item("a", more: ",\"destination\":{\"fieldName\":\"t\"}"),
            item("a", more: ",\"destination\":{\"fieldName\":\"a b\"}"),
            item("a", more: ",\"destination\":{\"recordName\":\"_a\"}"), item("a\\u0000"))
        #expect(reply.status == 200)
        #expect(
            reply.assets.map { $0["serverErrorCode"]?.string } == [
                "BAD_REQUEST", nil, "BAD_REQUEST", "BAD_REQUEST", "NOT_FOUND", "BAD_REQUEST",
                "BAD_REQUEST", "BAD_REQUEST", "NOT_FOUND",
            ])
        #expect(
            reply.refusals.prefix(3) == [
                "encrypted fields hold no assets", "the field holds no asset",
                "the record has no such field",
            ])
        #expect(reply.assets[0]["recordName"]?.string == "b")
        #expect(reply.assets[5]["reason"]?.string?.contains("ENCRYPTED_STRING") == true)
        // Nor can an asset with a receipt be saved in an encrypted field.
        let sealed = try fixture.modify(
            operation(
                "create", "d",
                fields: """
                    "file":{"value":\(asset(item("a"))),"type":"ASSETID","isEncrypted":true}
                    """))
        #expect(sealed.codes == ["BAD_REQUEST"])
    }

    @Test("A request of nobody, for another's zone, or with too many items is refused as a whole")
    func wholeRefusals() throws {
        try hold([1])
        try hold([2], "p", zone: "_defaultZone", in: .public)
        #expect(try ask(item("a"), user: nil).status == 421)
        #expect(
            try ask(item("p"), zone: "_defaultZone", in: .public, user: nil).code
                == "AUTHENTICATION_REQUIRED")
        #expect(try ask(item("a"), user: "second").code == "ZONE_NOT_FOUND")
        #expect(try ask(item("a"), owner: owner, user: "second").code == "ZONE_NOT_FOUND")
        #expect(try ask(item("a"), in: .shared, owner: owner, user: "second").status == 404)
        // The private database has no record of the public one, and vice versa.
        let other = try ask(item("p"), zone: "_defaultZone")
        #expect(other.assets.first?["serverErrorCode"]?.string == "NOT_FOUND")
        let second = try ask(item("a"), zone: "_defaultZone", in: .public)
        #expect(second.assets.first?["serverErrorCode"]?.string == "NOT_FOUND")
        let many = [String](repeating: item("a"), count: 201).joined(separator: ",")
        let tooMany = try ask(many)
        #expect(tooMany.code == "BAD_REQUEST" && tooMany.reason?.contains("at most 200") == true)
        let whole = [String](repeating: item("a"), count: 200).joined(separator: ",")
        #expect(try ask(whole).assets.count == 200)
        #expect(try fixture.ask("assets/rereference", "{}").code == "BAD_REQUEST")
        #expect(try fixture.ask("assets/rereference", method: "GET").status == 405)
    }

    @Test("In the public database a user refers to files of records that the schema lets it read")
    func publicDatabase() throws {
        let schema = """
            DEFINE SCHEMA ( RECORD TYPE Open ( file ASSET,
            GRANT WRITE TO "_creator", GRANT CREATE TO "_icloud", GRANT READ TO "_world" );
            RECORD TYPE Own ( file ASSET,
            GRANT READ, WRITE TO "_creator", GRANT CREATE TO "_icloud" ); );
            """
        try fixture.core.importSchema(Array(schema.utf8))
        try hold([1], "open", type: "Open", zone: "_defaultZone", in: .public)
        try hold([2], "own", type: "Own", zone: "_defaultZone", in: .public)
        let reply = try ask(
            item("open"), item("own"), zone: "_defaultZone", in: .public, user: "second")
        #expect(reply.assets.map { $0["serverErrorCode"]?.string } == [nil, "ACCESS_DENIED"])
        let saved = try fixture.modify(
            operation(
                "create", "second", type: "Open",
                fields: assetField(#require(reply.assets.first).assetText)),
            zone: "_defaultZone", in: .public, user: "second")
        #expect(saved.codes == [nil])
        _ = try fixture.modify(
            operation("forceDelete", "open", type: nil), zone: "_defaultZone", in: .public)
        let read = try fixture.ask(
            "records/lookup", "{\"records\":[{\"recordName\":\"second\"}]}", in: .public)
        let url = read.field("file")?["value"]?["downloadURL"]?.string
        #expect(
            try fixture.download(ServiceFixture.target(of: #require(url))).bytes() == [1])
    }

    @Test("A file whose last record was deleted before the save is not saved again")
    func gone() throws {
        try hold([1])
        let copy = try asset(item("a"))
        _ = try fixture.modify(operation("forceDelete", "a", type: nil))
        let late = try fixture.modify(operation("create", "b", fields: assetField(copy)))
        #expect(late.codes == ["NOT_FOUND"])
        #expect(late.reasons.first?.hasSuffix("one of its assets is gone") == true)
    }

    @Test("Each record that holds a file counts its bytes against the quota")
    func quota() throws {
        var records = RecordLimits()
        records.accountByteCount = 150_000
        let fixture = try ServiceFixture(records: records)
        try fixture.makeZone()
        let sent = try fixture.upload([UInt8](repeating: 5, count: 100_000))
        let first = try fixture.modify(operation("create", "a", fields: assetField(sent)))
        try #require(first.codes == [nil])
        let reply = try fixture.ask(
            "assets/rereference",
            "{\"assets\":[\(item("a"))],\"zoneID\":{\"zoneName\":\"myZone\"}}")
        let copy = try #require(reply.assets.first).assetText
        let second = try fixture.modify(operation("create", "b", fields: assetField(copy)))
        #expect(second.code == "QUOTA_EXCEEDED")
        #expect(try fixture.lookUp("b").codes == ["NOT_FOUND"])
    }
}

extension ServiceReply {
    /// The files in the answer of `assets/rereference`, or their errors.
    fileprivate var assets: [JSONValue] { json["assets"].map { Array($0.elements) } ?? [] }

    /// The reasons of the refused items, without what they have in common.
    fileprivate var refusals: [String] {
        assets.compactMap { $0["reason"]?.string?.split(separator: "': ").last.map { String($0) } }
    }
}
