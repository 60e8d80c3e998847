import BullaRecords
import BullaRecordsWeb
import BullaTestSupport
import Testing

@Suite("Sending files to the service")
struct ServiceUploadTests {
    private let fixture: ServiceFixture

    init() throws {
        fixture = try ServiceFixture()
        try fixture.makeZone()
    }

    @Test("A file is sent, saved in a record, and read, however it is sent")
    func sent() throws {
        var random = TestRandom(seed: 1)
        let file = random.bytes(3 << 19)
        let form = [WebHeader("content-type", "multipart/form-data; boundary=abc")]
        let body =
            Array("--abc\r\nContent-Disposition: form-data; name=f; filename=x\r\n\r\n".utf8)
            + file + Array("\r\n--abc--\r\n".utf8)
        for (method, headers, sent) in [
            ("POST", [], file), ("PUT", [], file), ("POST", form, body),
            ("PUT", [WebHeader("Content-Type", "image/png")], file),
        ] {
            let target = try fixture.uploadTarget()
            let reply = try fixture.send(sent, to: target, method: method, headers: headers)
            #expect(reply.status == 200)
            let asset = try #require(reply.json["singleFile"])
            let keys = Set(asset.members.compactMap { $0.0.string })
            #expect(
                keys == [
                    "wrappingKey", "fileChecksum", "receipt", "referenceChecksum", "size",
                ])
            #expect(asset["size"]?.int64 == Int64(file.count))
            let saved = try fixture.modify(
                operation("forceUpdate", "a", fields: assetField(asset.assetText)))
            #expect(saved.codes == [nil])
            #expect(try fixture.file("a") == file)
            let read = try fixture.lookUp("a").field("file")
            #expect(read?["type"]?.string == "ASSETID" && read?["isEncrypted"] == nil)
            #expect(read?["value"]?["receipt"] == nil)
            #expect(
                read?["value"]?["fileChecksum"]?.string == asset["fileChecksum"]?.string)
        }
        // A form sent by PUT is a file like any other.
        let target = try fixture.uploadTarget()
        let put = try fixture.send(body, to: target, method: "PUT", headers: form)
        #expect(put.json["singleFile"]?["size"]?.int64 == Int64(body.count))
    }

    @Test("Each field has an address of its own, and a record without a name gets one")
    func addresses() throws {
        let reply = try fixture.ask(
            "assets/upload",
            """
            {"tokens":[{"recordName":"a","recordType":"Note","fieldName":"file"},
            {"recordType":"Note","fieldName":"other"}],"zoneID":{"zoneName":"myZone"}}
            """)
        #expect(reply.status == 200)
        let tokens = reply.json["tokens"].map { Array($0.elements) } ?? []
        #expect(tokens.map { $0["fieldName"]?.string } == ["file", "other"])
        #expect(tokens.first?["recordName"]?.string == "a")
        #expect(tokens.last?["recordName"]?.string?.utf8.count == 36)
        let targets = try tokens.map { try ServiceFixture.target(of: $0["url"]?.string ?? "") }
        #expect(Set(targets).count == 2)
        #expect(targets.allSatisfy { $0.hasPrefix("/upload/iCloud.org.example.notes/dev") })
        #expect(targets.allSatisfy { WebRoute($0) == .upload })
    }

    @Test("Without a user, an asset's field, a zone or a name there is no address")
    func refusals() throws {
        #expect(try fixture.askUpload(in: .public, user: nil).code == "AUTHENTICATION_REQUIRED")
        #expect(try fixture.askUpload(user: nil).status == 421)
        #expect(try fixture.askUpload(zone: "none").code == "ZONE_NOT_FOUND")
        #expect(try fixture.askUpload(record: "_a").code == "BAD_REQUEST")
        #expect(try fixture.askUpload(field: "a b").code == "BAD_REQUEST")
        #expect(try fixture.askUpload(type: "1").code == "BAD_REQUEST")
        _ = try fixture.modify(operation("create", "a", fields: "\"t\":{\"value\":\"x\"}"))
        let other = try fixture.askUpload(field: "t")
        #expect(other.code == "BAD_REQUEST")
        #expect(other.reason?.contains("ASSETID for field 't' for type 'Note'") == true)
        let item = "{\"recordType\":\"Note\",\"fieldName\":\"file\"}"
        let many = [String](repeating: item, count: 201).joined(separator: ",")
        let tooMany = try fixture.ask("assets/upload", "{\"tokens\":[\(many)]}")
        #expect(tooMany.code == "BAD_REQUEST")
        #expect(tooMany.reason?.contains("at most 200") == true)
        let get = try fixture.ask("assets/upload", method: "GET")
        #expect(get.status == 405)
    }

    @Test("In production a field that is not there gets no file")
    func production() throws {
        let fixture = try ServiceFixture(.production)
        try fixture.makeZone()
        let reply = try fixture.askUpload()
        #expect(reply.code == "BAD_REQUEST")
        #expect(reply.reason == "Cannot create new type Note in production schema")
    }

    @Test("An address is good for a quarter of an hour, at its place, and for sending alone")
    func addressOver() throws {
        let target = try fixture.uploadTarget()
        fixture.time.pass(15 * 60_000 - 1)
        #expect(try fixture.send([1], to: target).status == 200)
        // Any number of files can be sent to the address.
        #expect(try fixture.send([1], to: target).status == 200)
        let get = try fixture.send([], to: target, method: "GET")
        #expect(get.status == 405 && get.headers["Allow"] == "POST, PUT")
        fixture.time.pass(1)
        let over = try fixture.send([1], to: target)
        #expect(over.status == 403 && over.code == "ACCESS_DENIED")
        let place = target.split(separator: "/").dropLast().joined(separator: "/")
        for wrong in [
            "/" + place + "/", "/" + place, target + "/x", "/upload", "/",
            target.replacing("development", with: "production"),
            target.replacing("notes", with: "other"), target.replacing("upload", with: "download"),
        ] {
            #expect([403, 404].contains(try fixture.send([1], to: wrong).status))
        }
    }

    @Test("A file of more than the limit is refused while it comes")
    func tooLarge() throws {
        var records = RecordLimits()
        records.assetByteCount = 1_000
        let fixture = try ServiceFixture(records: records)
        try fixture.makeZone()
        let target = try fixture.uploadTarget()
        let whole = try fixture.send([UInt8](repeating: 0, count: 1_000), to: target)
        #expect(whole.status == 200)
        let upload = try fixture.service.beginUpload(WebRequest("POST", target))
        try upload.append([UInt8](repeating: 0, count: 1_000)[...])
        for _ in 0..<2 {
            let error = #expect(throws: WebError.self) { try upload.append([0]) }
            #expect(error?.status == 413 && error?.code == .badRequest)
            #expect(error?.reason.contains("more than 1000 bytes") == true)
        }
        #expect(upload.finish().status == 413)
        let told = try fixture.send(
            [], to: target, headers: [WebHeader("content-length", "1001")])
        #expect(told.status == 413)
        let form = [WebHeader("Content-Type", "multipart/form-data; boundary=abc")]
        let long = try fixture.send(
            [UInt8](repeating: 0, count: 70_000), to: target, headers: form)
        #expect(long.status == 413)
    }

    @Test("What is no whole form of one file is refused")
    func badForms() throws {
        let target = try fixture.uploadTarget()
        func send(_ type: String, _ body: String) throws -> Int {
            try fixture.send(
                Array(body.utf8), to: target, headers: [WebHeader("Content-Type", type)]
            ).status
        }
        let part = "--a\r\nContent-Disposition: form-data; filename=x\r\n\r\nb\r\n--a--"
        #expect(try send("multipart/form-data; boundary=a", part) == 200)
        #expect(try send("multipart/form-data; boundary=\"a\"", part) == 200)
        for type in [
            "multipart/mixed; boundary=a", "multipart/form-data", "multipart/form-data; boundary=",
            "multipart/form-data; boundary=\"a \"", "multipart/form-data; boundary=a; boundary=a",
            "multipart/form-data; boundary=\u{e4}",
        ] { #expect(try send(type, part) == 400) }
        #expect(try send("multipart/form-data; boundary=a", String(part.dropLast(2))) == 400)
        #expect(try send("multipart/form-data; boundary=a", "") == 400)
    }

    @Test("What was sent is taken once")
    func twice() throws {
        let upload = try fixture.service.beginUpload(
            WebRequest("POST", fixture.uploadTarget()))
        try upload.append([1])
        #expect(upload.finish().status == 200)
        #expect(upload.finish().status == 400)
        #expect(throws: WebError.self) { try upload.append([1]) }
    }

    @Test("What nobody finishes, or saves, is freed within the hour")
    func orphans() throws {
        // Abandon an upload after some of its chunks were put.
        try fixture.service.beginUpload(WebRequest("POST", fixture.uploadTarget())).append(
            [UInt8](repeating: 0, count: 2 << 20 + 1)[...])
        _ = try fixture.upload([1])
        let kept = try fixture.upload([2])
        #expect(
            try fixture.modify(operation("create", "a", fields: assetField(kept))).codes == [nil])
        fixture.time.pass(3_600_001)
        #expect(try fixture.core.freeOrphans() == 2)
        #expect(try fixture.file("a") == [2])
    }
}
