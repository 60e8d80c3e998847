import Bulla
import BullaRecords
import BullaRecordsWeb
import BullaTestSupport
import Testing

@Suite("Reading files from the service")
struct ServiceDownloadTests {
    private static let unit = 1 << 20

    private let fixture: ServiceFixture

    init() throws {
        fixture = try ServiceFixture()
        try fixture.makeZone()
    }

    /// Saves a file in a record, and returns its download target.
    private func save(_ file: [UInt8], _ name: String = "a") throws -> String {
        let asset = try fixture.upload(file)
        let saved = try fixture.modify(
            operation("forceUpdate", name, fields: assetField(asset)))
        try #require(saved.codes == [nil])
        return try fixture.downloadTarget(name)
    }

    @Test("A file is bytes to be saved, and nothing that a browser shows, runs or keeps")
    func headers() throws {
        let target = try save(Array("<script>alert(1)</script>".utf8))
        #expect(WebRoute(target) == .download)
        for method in ["GET", "HEAD"] {
            let download = try fixture.download(target, method: method)
            #expect(download.status == 200 && download.byteCount == 25)
            let expected = [
                "Content-Type": "application/octet-stream", "Accept-Ranges": "bytes",
                "X-Content-Type-Options": "nosniff", "Content-Disposition": "attachment",
                "Content-Security-Policy": "sandbox; default-src 'none'",
                "Cross-Origin-Resource-Policy": "same-origin",
                "Cache-Control": "private, no-store",
            ]
            for (name, value) in expected { #expect(download.header(name) == value) }
            #expect(download.header("Content-Range") == nil)
            #expect(try download.bytes().count == (method == "GET" ? 25 : 0))
        }
        let error = #expect(throws: WebError.self) { try fixture.download(target, method: "POST") }
        #expect(error?.status == 405)
    }

    @Test("Parts of a file are what they name", arguments: 0..<4)
    func ranges(seed: Int) throws {
        var random = TestRandom(seed: seed)
        let file = random.bytes([0, 1, Self.unit, 5 << 19][seed])
        let target = try save(file)
        #expect(try fixture.download(target).bytes() == file)
        for _ in 0..<20 {
            let (first, last) = (random.below(file.count + 2), random.below(file.count + 2))
            let text = random.pick(["\(first)-\(last)", "\(first)-", "-\(last)"])
            let range = ByteRange("bytes=" + text, of: UInt64(file.count))
            let download = try fixture.download(target, WebHeader("range", "bytes=" + text))
            #expect(download.byteCount == UInt64(try download.bytes().count))
            let said = download.header("Content-Range")
            switch range {
            case .all:
                #expect(download.status == 200 && said == nil)
                #expect(try download.bytes() == file)
            case .part(let part):
                #expect(download.status == 206)
                #expect(
                    said == "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(file.count)")
                #expect(
                    try download.bytes() == Array(file[Int(part.lowerBound)..<Int(part.upperBound)])
                )
            case .unsatisfiable:
                #expect(download.status == 416 && said == "bytes */\(file.count)")
                #expect(download.chunkCount == 0)
            }
        }
    }

    @Test("A part is given where the file is the one that was meant, and to GET alone")
    func conditions() throws {
        let target = try save([1, 2, 3])
        let tag = try #require(fixture.download(target).header("ETag"))
        let range = WebHeader("Range", "bytes=1-1")
        func status(_ condition: String) throws -> Int {
            try fixture.download(target, range, WebHeader("If-Range", condition)).status
        }
        #expect(try status(tag) == 206)
        #expect(try status("W/" + tag) == 200)
        #expect(try status("\"other\"") == 200)
        #expect(try status("Mon, 23 Nov 2026 12:00:00 GMT") == 200)
        let head = try fixture.download(target, method: "HEAD", range)
        #expect(head.status == 200 && head.byteCount == 3)
        #expect(try save([1, 2, 3]) != target)
        #expect(try fixture.download(save([1, 2, 3])).header("ETag") != tag)
    }

    @Test("An address is good for an hour, for reading, and as it is")
    func addresses() throws {
        let target = try save([1])
        fixture.time.pass(3_599_999)
        #expect(try fixture.download(target).bytes() == [1])
        var random = TestRandom(seed: 7)
        let ticket = String(target.split(separator: "/").last ?? "")
        for _ in 0..<200 {
            let changed = target.replacing(ticket, with: random.withOneBitChanged(ticket))
            #expect(throws: WebError.self) { try fixture.download(changed) }
        }
        for _ in 0..<200 {
            let bytes = random.bytes(random.below(200))
            let text = String(bytes.map { Character(UnicodeScalar(33 + $0 % 94)) })
            #expect(throws: WebError.self) { try fixture.download("/download" + text) }
            #expect(throws: WebError.self) {
                try fixture.download(target.replacing(ticket, with: text))
            }
        }
        let production = target.replacing("development", with: "production")
        let elsewhere = #expect(throws: WebError.self) { try fixture.download(production) }
        #expect(elsewhere?.status == 404)
        let upload = try fixture.uploadTarget().replacing("/upload/", with: "/download/")
        let other = #expect(throws: WebError.self) { try fixture.download(upload) }
        #expect(other?.status == 403)
        fixture.time.pass(1)
        let over = #expect(throws: WebError.self) { try fixture.download(target) }
        #expect(over?.status == 403)
        #expect(over?.reason == "the address has expired: ask for another")
        #expect(try fixture.file("a") == [1])
    }

    @Test("The file of a record that is gone answers nothing, whatever addresses there are")
    func freed() throws {
        func isGone(_ target: String) -> Bool {
            let error = #expect(throws: WebError.self) { try fixture.download(target) }
            return error?.status == 404
        }
        var target = try save([1, 2])
        let begun = try fixture.download(save([UInt8](repeating: 1, count: 3 << 20), "b"))
        _ = try fixture.modify(operation("forceDelete", "a"), operation("forceDelete", "b"))
        #expect(isGone(target))
        let error = #expect(throws: WebError.self) { try begun.chunk(1) }
        #expect(error?.code == .notFound)
        target = try save([1])
        let second = try save([2])
        #expect(isGone(target))
        #expect(try fixture.download(second).bytes() == [2])
        _ = try fixture.modify(
            operation("forceUpdate", "a", fields: "\"file\":{\"value\":null}"))
        #expect(isGone(second))
        target = try save([3])
        _ = try fixture.ask(
            "zones/modify",
            """
            {"operations":[{"operationType":"delete","zone":{"zoneID":{"zoneName":"myZone"}}}]}
            """)
        #expect(isGone(target))
    }

    @Test("After a reset of the owner's keys no file is read, under no address")
    func reset() throws {
        let target = try save([1])
        try fixture.core.zoneKeys.forget(of: WebSupport.account)
        let error = #expect(throws: WebError.self) { try fixture.download(target) }
        #expect(error?.status == 404)
    }

    @Test("A damaged chunk ends the file, and is named; one at the beginning answers nothing")
    func damage() throws {
        let target = try save([UInt8](repeating: 7, count: 5 << 19))
        try changeChunk(1)
        let download = try fixture.download(target)
        #expect(download.status == 200 && download.chunkCount == 3)
        #expect(try download.chunk(0).count == Self.unit)
        let error = #expect(throws: WebError.self) { try download.chunk(1) }
        #expect(error?.code == .internalError)
        #expect(error?.reason.contains("chunk 1 ") == true)
        #expect(try download.chunk(2).count == Self.unit / 2)
        try changeChunk(0)
        let first = #expect(throws: WebError.self) { try fixture.download(target) }
        #expect(first?.status == 500 && first?.reason.contains("chunk 0 ") == true)
    }

    private func changeChunk(_ index: Int) throws {
        try fixture.store.write { change in
            let tree = try change.tree(named: "chunks")
            var entries: [(key: [UInt8], chunk: [UInt8])] = []
            try change.scan(tree) { key, value in
                entries.append(([UInt8](copying: key), [UInt8](copying: value)))
                return .next
            }
            var (key, chunk) = entries[index]
            chunk[chunk.count / 2] ^= 1
            try change.put(chunk, forKey: key, in: tree)
        }
    }

    @Test("Nobody reads a ticket, a receipt or an address in a description")
    func untold() throws {
        let target = try save([1])
        let ticket = String(target.split(separator: "/").last ?? "")
        let request = WebRequest("GET", target)
        let download = try fixture.service.download(request)
        var wire = WireAsset()
        (wire.receipt, wire.downloadURL) = ("receipt", target)
        for value in [request, download, wire] as [Any] {
            let texts = [
                "\(value)", String(describing: value), String(reflecting: value), dumped(value),
            ]
            for text in texts { #expect(!text.contains(ticket) && !text.contains("receipt")) }
        }
        let changed = target.dropLast() + "_"
        let error = #expect(throws: WebError.self) { try fixture.download(String(changed)) }
        #expect(error.map { !dumped($0).contains(ticket.prefix(20)) } == true)
    }

    private func dumped(_ value: Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text
    }
}
