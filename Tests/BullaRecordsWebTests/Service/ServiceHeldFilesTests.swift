import BullaRecords
import BullaRecordsWeb
import BullaTestSupport
import Testing

/// How participants, batches and download addresses deal with files that several records hold.
@Suite("Files that several records hold")
struct ServiceHeldFilesTests {
    private let fixture: ServiceFixture
    private let zone = ServiceFixture.zoneOfFirst
    private let other = WebSupport.stranger.userRecordName

    init() throws {
        fixture = try .withSecondUser()
        try hold([1, 2, 3], "a")
    }

    private func hold(_ file: [UInt8], _ record: String) throws {
        let asset = try fixture.upload(file)
        let saved = try fixture.modify(operation("create", record, fields: assetField(asset)))
        try #require(saved.codes == [nil], "\(saved.text)")
    }

    private func refer(to records: String..., isOther: Bool = true) throws -> [JSONValue] {
        let items = records.map { "{\"recordName\":\"\($0)\",\"fieldName\":\"file\"}" }
        let reply = try fixture.ask(
            "assets/rereference",
            """
            {"assets":[\(items.joined(separator: ","))],
            "zoneID":\(isOther ? zone : "{\"zoneName\":\"myZone\"}")}
            """, in: isOther ? .shared : .private, user: isOther ? "second" : "first")
        return reply.json["assets"].map { Array($0.elements) } ?? []
    }

    /// A save by the second user.
    private func save(_ operation: String) throws -> ServiceReply {
        try fixture.ask(
            "records/modify", "{\"operations\":[\(operation)],\"zoneID\":\(zone)}", in: .shared,
            user: "second")
    }

    /// Shares the zone, or a record, with the second user, who accepts.
    private func share(_ permission: String, of root: String? = nil) throws {
        let participant = """
            ,"participants":[{"userIdentity":{"userRecordName":"\(other)"},
            "permission":"\(permission)"}]
            """
        let more = root.map { ",\"forRecord\":{\"recordName\":\"\($0)\"}" } ?? ""
        let made = try fixture.modify(
            operation(
                "create", nil, type: "cloudkit.share",
                fields: "", more: participant + more))
        let token = try #require(made.items.first?["shortGUID"]?.string, "\(made.text)")
        let accepted = try fixture.ask(
            "records/accept", "{\"shortGUIDs\":[{\"value\":\"\(token)\"}]}", in: .public,
            user: "second")
        try #require(accepted.text.contains("ACCEPTED"), "\(accepted.text)")
    }

    @Test("A participant who may write gives a file to another record, one who may only read none")
    func participants() throws {
        try share("READ_ONLY")
        let copy = try #require(try refer(to: "a").first).assetText
        let change = operation("create", "b", fields: assetField(copy))
        #expect(try save(change).code == "ACCESS_DENIED")
        #expect(try fixture.lookUp("b").codes == ["NOT_FOUND"])
        let raised = operation(
            "forceUpdate", "cloudkit.zoneshare", type: "cloudkit.share", fields: "",
            more: """
                ,"participants":[{"userIdentity":{"userRecordName":"\(other)"},
                "permission":"READ_WRITE"}]
                """)
        #expect(try fixture.modify(raised).codes == [nil])
        #expect(try save(change).codes == [nil])
        #expect(try fixture.file("b") == [1, 2, 3])
    }

    @Test("A participant of one record's share cannot name a file outside of it")
    func sharedRecord() throws {
        try hold([4], "private")
        try share("READ_WRITE", of: "a")
        let found = try refer(to: "a", "private", "none")
        #expect(
            found.map { $0["serverErrorCode"]?.string } == [nil, "NOT_FOUND", "NOT_FOUND"])
        let copy = try #require(found.first).assetText
        let outside = operation("create", "b", fields: assetField(copy))
        #expect(try save(outside).codes == ["ACCESS_DENIED"])
        let below = operation(
            "create", "b", fields: assetField(copy), more: ",\"parent\":{\"recordName\":\"a\"}")
        #expect(try save(below).codes == [nil])
        #expect(try fixture.file("b") == [1, 2, 3])
    }

    @Test("A participant who is removed before the save gives a file to no record")
    func removed() throws {
        try share("READ_WRITE")
        let copy = try #require(try refer(to: "a").first).assetText
        let removal = operation(
            "forceUpdate", "cloudkit.zoneshare", type: "cloudkit.share", fields: "",
            more: ",\"participants\":[]")
        #expect(try fixture.modify(removal).codes == [nil])
        let late = try save(operation("create", "b", fields: assetField(copy)))
        #expect(late.code == "ZONE_NOT_FOUND")
        #expect(try fixture.lookUp("b").codes == ["NOT_FOUND"])
    }

    @Test("An atomic batch deletes a record and gives its file to another one")
    func handedOver() throws {
        let copy = try #require(try refer(to: "a", isOther: false).first).assetText
        let taking = operation("create", "b", fields: assetField(copy))
        let giving = operation("forceDelete", "a", type: nil)
        let saved = try fixture.modify(giving, taking, more: ",\"atomic\":true")
        #expect(saved.codes == [nil, nil])
        #expect(try fixture.file("b") == [1, 2, 3])
        fixture.time.pass(3_600_001)
        #expect(try fixture.core.freeOrphans() == 0)
        #expect(try fixture.file("b") == [1, 2, 3])
    }

    @Test("A batch that fails counts no holder, so that the file goes with its only record")
    func failedBatch() throws {
        let copy = try #require(try refer(to: "a", isOther: false).first).assetText
        let failed = try fixture.modify(
            operation("create", "b", fields: assetField(copy)), operation("create", "a"),
            more: ",\"atomic\":true")
        #expect(failed.codes == ["ATOMIC_ERROR", "CONFLICT"], "\(failed.text)")
        let target = try fixture.downloadTarget("a")
        #expect(try fixture.modify(operation("forceDelete", "a", type: nil)).codes == [nil])
        #expect(throws: WebError.self) { try fixture.download(target) }
        let late = try fixture.modify(operation("create", "c", fields: assetField(copy)))
        #expect(late.codes == ["NOT_FOUND"])
    }

    @Test("An address ends with the record that it came with, whatever others hold the file")
    func addresses() throws {
        let copy = try #require(try refer(to: "a", isOther: false).first).assetText
        for name in ["b", "c"] {
            let saved = try fixture.modify(operation("create", name, fields: assetField(copy)))
            try #require(saved.codes == [nil])
        }
        let targets = try ["a", "b", "c"].map { try fixture.downloadTarget($0) }
        func codes() -> [ServerErrorCode?] {
            targets.map { target in
                do throws(WebError) {
                    return try fixture.download(target).bytes() == [1, 2, 3] ? nil : .internalError
                } catch { return error.code }
            }
        }
        #expect(codes() == [nil, nil, nil])
        // Saving another field leaves the addresses as they are.
        let number = operation("forceUpdate", "a", fields: "\"n\":{\"value\":1}")
        #expect(try fixture.modify(number).codes == [nil])
        #expect(codes() == [nil, nil, nil])
        #expect(try fixture.modify(operation("forceDelete", "a", type: nil)).codes == [nil])
        #expect(codes() == [.notFound, nil, nil])
        let given = operation("forceUpdate", "b", fields: "\"file\":{\"value\":null}")
        #expect(try fixture.modify(given).codes == [nil])
        #expect(codes() == [.notFound, .notFound, nil])
        // A later record with the same name has addresses of its own.
        try hold([4], "a")
        #expect(codes() == [.notFound, .notFound, nil])
        #expect(try fixture.file("c") == [1, 2, 3])
    }

    @Test("A name that no record has is not found, however many marks it has")
    func names() throws {
        let endless = "e" + String(repeating: "\u{301}\u{316}", count: 100_000)
        let found = try refer(to: endless, "a", "_a", isOther: false)
        #expect(
            found.map { $0["serverErrorCode"]?.string } == ["NOT_FOUND", nil, "NOT_FOUND"])
        #expect(try fixture.lookUp(endless).codes == ["NOT_FOUND"])
    }
}
