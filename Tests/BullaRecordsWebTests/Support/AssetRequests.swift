import BullaRecords
import BullaRecordsWeb
import BullaTestSupport
import Testing

extension ServiceFixture {
    /// Asks for the address to which a field's file can be sent.
    func askUpload(
        field: String = "file", type: String = "Note", record: String? = nil,
        zone: String = "myZone", in scope: DatabaseScope = .private, user: String? = "first"
    ) throws -> ServiceReply {
        let name = record.map { "\"recordName\":\"\($0)\"," } ?? ""
        return try ask(
            "assets/upload",
            """
            {"tokens":[{\(name)"recordType":"\(type)","fieldName":"\(field)"}],
            "zoneID":{"zoneName":"\(zone)"}}
            """, in: scope, user: user)
    }

    /// The upload address, as a request's target.
    func uploadTarget(
        field: String = "file", type: String = "Note", record: String? = nil,
        zone: String = "myZone", in scope: DatabaseScope = .private, user: String? = "first"
    ) throws -> String {
        let reply = try askUpload(
            field: field, type: type, record: record, zone: zone, in: scope, user: user)
        let url = reply.json["tokens"].flatMap { $0.elements.first { _ in true } }?["url"]?.string
        return try Self.target(of: #require(url, "\(reply.text)"))
    }

    static func target(of url: String) throws -> String {
        let base = "https:" + "//records.example.org"
        try #require(url.hasPrefix(base + "/"))
        return String(url.dropFirst(base.count))
    }

    /// Sends a file to a target, in pieces.
    func send(
        _ file: [UInt8], to target: String, method: String = "POST",
        headers: [WebHeader] = [], step: Int = 1 << 18
    ) throws -> ServiceReply {
        do throws(WebError) {
            let upload = try service.beginUpload(WebRequest(method, target, headers: headers))
            for start in stride(from: 0, to: file.count, by: step) {
                try upload.append(file[start..<min(start + step, file.count)])
            }
            return try ServiceReply(reading: upload.finish())
        } catch { return try ServiceReply(reading: service.answer(to: error)) }
    }

    /// Uploads a file, and returns its dictionary, as text.
    func upload(
        _ file: [UInt8], field: String = "file", type: String = "Note", record: String? = nil,
        zone: String = "myZone", in scope: DatabaseScope = .private, user: String? = "first"
    ) throws -> String {
        let target = try uploadTarget(
            field: field, type: type, record: record, zone: zone, in: scope, user: user)
        let reply = try send(file, to: target)
        let asset = try #require(reply.json["singleFile"], "\(reply.text)")
        return asset.assetText
    }

    /// The target for downloading a record's file.
    func downloadTarget(
        _ name: String, field: String = "file", zone: String = "myZone", user: String = "first"
    ) throws -> String {
        let url = try lookUp(name, zone: zone, user: user).field(field)?["value"]?["downloadURL"]
        return try Self.target(of: #require(url?.string))
    }

    func download(
        _ target: String, method: String = "GET", _ headers: WebHeader...
    ) throws(WebError) -> WebDownload {
        try service.download(WebRequest(method, target, headers: headers))
    }

    /// The bytes of a record's file.
    func file(_ name: String, field: String = "file", zone: String = "myZone") throws -> [UInt8] {
        try download(downloadTarget(name, field: field, zone: zone)).bytes()
    }
}

/// A field with an asset, for an operation.
func assetField(_ asset: String, _ field: String = "file") -> String {
    "\"\(field)\":{\"value\":\(asset),\"type\":\"ASSETID\"}"
}

extension WebDownload {
    func bytes() throws(WebError) -> [UInt8] {
        var bytes: [UInt8] = []
        for index in 0..<chunkCount { bytes += try chunk(index) }
        return bytes
    }

    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}

extension ServiceReply {
    /// Throws an internal error if the answer cannot be read, because every answer should be
    /// readable.
    init(reading answer: WebAnswer) throws(WebError) {
        do { try self.init(answer) } catch { throw WebError(.internalError, "\(error)") }
    }
}

extension JSONValue {
    /// The dictionary of an asset, as it appears in a request.
    var assetText: String {
        let members = members.compactMap { key, value -> String? in
            guard let key = key.string else { return nil }
            return value.string.map { "\"\(key)\":\"\($0)\"" }
                ?? value.int64.map { "\"\(key)\":\($0)" }
        }
        return "{\(members.joined(separator: ","))}"
    }
}
