import BullaRecords
import BullaRecordsWeb
import BullaTestSupport
import Testing

@Suite("Saving files that were sent")
struct ServiceReceiptTests {
    private let fixture: ServiceFixture

    init() throws {
        fixture = try ServiceFixture()
        try fixture.makeZone()
    }

    /// Saves an asset, and returns why it was refused; `nil` if it was saved.
    private func refusal(
        _ asset: String, record: String = "a", type: String = "Note", field: String = "file",
        zone: String = "myZone", in scope: DatabaseScope = .private, user: String = "first"
    ) throws -> String? {
        let reply = try fixture.modify(
            operation("create", record, type: type, fields: assetField(asset, field)), zone: zone,
            in: scope, user: user)
        if reply.codes == ["BAD_REQUEST"] { return reply.reasons[0] }
        #expect(reply.codes == [nil], "\(reply.text)")
        return nil
    }

    @Test("A receipt is for one user, database, zone, type and field")
    func bound() throws {
        try fixture.makeZone("other")
        let asset = try fixture.upload([1, 2, 3])
        #expect(try refusal(asset, zone: "other")?.hasSuffix("for another zone") == true)
        #expect(try refusal(asset, zone: "_defaultZone")?.hasSuffix("for another zone") == true)
        #expect(try refusal(asset, type: "Text")?.hasSuffix("for another record type") == true)
        #expect(try refusal(asset, field: "f")?.hasSuffix("for another field") == true)
        let scope = try refusal(asset, zone: "_defaultZone", in: .public)
        #expect(scope?.hasSuffix("for another zone") == true)
        _ = try fixture.ask(
            "zones/modify",
            """
            {"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"myZone"}}}]}
            """, user: "second")
        #expect(try refusal(asset, user: "second")?.hasSuffix("for another account") == true)
        let inPublic = try fixture.upload([1], zone: "_defaultZone", in: .public)
        let stranger = try refusal(
            inPublic, zone: "_defaultZone", in: .public, user: "second")
        #expect(stranger?.hasSuffix("for another account") == true)
        #expect(try refusal(inPublic, zone: "_defaultZone", in: .public) == nil)
        #expect(try refusal(asset) == nil)
    }

    @Test("A file that was sent for a record is for that one")
    func boundToRecord() throws {
        let asset = try fixture.upload([1], record: "a")
        #expect(try refusal(asset, record: "b")?.hasSuffix("for another record") == true)
        let unnamed = try fixture.modify(
            operation("create", nil, fields: assetField(asset)))
        #expect(unnamed.codes == ["BAD_REQUEST"])
        #expect(try refusal(asset) == nil)
    }

    @Test("A receipt is good for an hour, and in its environment")
    func over() throws {
        let asset = try fixture.upload([1])
        let production = try ServiceFixture(.production, sharing: fixture)
        try production.makeZone()
        let elsewhere = try production.modify(
            operation("create", "a", fields: assetField(asset)))
        #expect(elsewhere.reasons.first?.hasSuffix("not from this service") == true)
        fixture.time.pass(3_599_999)
        #expect(try refusal(asset) == nil)
        fixture.time.pass(1)
        #expect(try refusal(asset, record: "b")?.contains("too old") == true)
    }

    @Test("A receipt of which a letter was changed is none")
    func changed() throws {
        let asset = try fixture.upload([1])
        let receipt = try #require(WebSupport.json(asset)["receipt"]?.string)
        var random = TestRandom(seed: 4)
        for _ in 0..<200 {
            let changed = random.withOneBitChanged(receipt)
            let refused = try refusal(asset.replacing(receipt, with: changed))
            #expect(refused?.hasSuffix("not from this service") == true)
        }
        // Nor is an upload address a receipt, though it has the same length.
        let target = try fixture.uploadTarget()
        let ticket = String(target.split(separator: "/").last ?? "")
        #expect(try refusal(asset.replacing(receipt, with: ticket)) != nil)
        let other = try #require(WebSupport.json(fixture.upload([2]))["receipt"]?.string)
        let mixed = try refusal(asset.replacing(receipt, with: other))
        #expect(mixed?.hasSuffix("for another file") == true)
        #expect(try refusal(asset) == nil)
    }

    @Test("Of a batch a wrong receipt fails its own record, and an atomic one as a whole")
    func batches() throws {
        let (good, wrong) = (try fixture.upload([1]), try fixture.upload([2], field: "f"))
        let operations = [
            operation("create", "a", fields: assetField(wrong)),
            operation("create", "b", fields: assetField(good)),
        ]
        let atomic = try fixture.modify(operations[0], operations[1])
        #expect(atomic.codes == ["BAD_REQUEST", "ATOMIC_ERROR"])
        let each = try fixture.modify(operations[0], operations[1], more: ",\"atomic\":false")
        #expect(each.codes == ["BAD_REQUEST", nil])
        #expect(try fixture.file("b") == [1])
    }

    @Test("A record is saved back with its assets as they were read")
    func savedBack() throws {
        let asset = try fixture.upload([1, 2])
        let list = try fixture.upload([3], field: "files")
        let fields =
            assetField(asset) + ",\"files\":{\"value\":[\(list)],\"type\":\"ASSETID_LIST\"}"
        #expect(try fixture.modify(operation("create", "a", fields: fields)).codes == [nil])
        let read = try fixture.lookUp("a")
        let held = try #require(read.field("file")?["value"]).assetText
        let heldList = try #require(read.field("files")?["value"]?.elements.first { _ in true })
        let fresh = try fixture.upload([4], field: "files")
        // The addresses have expired, but the record is unchanged.
        fixture.time.pass(3_600_000 - 1)
        let mixed = "\"files\":{\"value\":[\(heldList.assetText),\(fresh)]}"
        let saved = try fixture.modify(
            operation("update", "a", tag: read.tag, fields: assetField(held) + "," + mixed))
        #expect(saved.codes == [nil])
        #expect(try fixture.file("a") == [1, 2])
        let files = try #require(fixture.lookUp("a").field("files")?["value"]?.elements)
        let bytes = try files.map { file in
            let url = file["downloadURL"]?.string ?? ""
            return try fixture.download(ServiceFixture.target(of: url)).bytes()
        }
        #expect(bytes == [[3], [4]])
        // Another field, another record, and a missing record do not hold it.
        for refused in [
            operation("update", "a", tag: saved.tag, fields: assetField(held, "files")),
            operation("forceUpdate", "b", fields: assetField(held)),
            operation("create", nil, fields: assetField(held)),
            operation("update", "a", tag: saved.tag, fields: assetField("{\"size\":2}")),
        ] {
            let reply = try fixture.modify(refused)
            #expect(reply.codes == ["BAD_REQUEST"])
            #expect(reply.reasons[0].hasSuffix("it has no receipt, and the field does not hold it"))
        }
    }

    @Test("A file that was freed is not saved again")
    func freed() throws {
        let asset = try fixture.upload([1])
        #expect(try refusal(asset) == nil)
        _ = try fixture.modify(operation("forceDelete", "a", type: nil))
        let again = try fixture.modify(operation("create", "b", fields: assetField(asset)))
        #expect(again.codes == ["NOT_FOUND"])
    }

    @Test("An asset is no encrypted value")
    func encrypted() throws {
        let asset = try fixture.upload([1])
        for type in ["ASSETID", "ENCRYPTED_ASSETID", "ASSETID_LIST"] {
            let value = type.hasSuffix("LIST") ? "[\(asset)]" : asset
            let field = "\"file\":{\"value\":\(value),\"type\":\"\(type)\",\"isEncrypted\":true}"
            let reply = try fixture.modify(operation("create", "a", fields: field))
            #expect(reply.codes == ["BAD_REQUEST"])
            #expect(reply.reasons[0].contains("fields.file"))
        }
        #expect(try fixture.lookUp("a").codes == ["NOT_FOUND"])
    }
}

extension TestRandom {
    /// In a text of letters, digits, hyphens and underscores, flips one of the six bits that a
    /// random character stands for; appends an A if that character is none of these.
    mutating func withOneBitChanged(_ text: String) -> String {
        let letters = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var bytes = Array(text.utf8)
        let place = below(bytes.count)
        let former = bytes[place]
        guard let value = letters.firstIndex(of: former) else { return text + "A" }
        bytes[place] = letters[value ^ 1 << below(6)]
        return String(decoding: bytes, as: UTF8.self)
    }
}
