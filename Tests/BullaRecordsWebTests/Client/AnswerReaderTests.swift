import BullaRecords
import BullaRecordsWeb
import BullaTestSupport
import Synchronization
import Testing

/// What the service writes is what a client reads; anything else is an error.
@Suite("Answers to a client")
struct AnswerReaderTests {
    private let zone = WebSupport.zone
    private let reader = AnswerReader(.private, viewer: WebSupport.account) {
        wire, _ throws(RecordError) in
        try AssetDescriptor(kept: wire)
    }

    /// Names assets as the service does.
    private let form = AnswerForm { asset, _ in
        var wire = WireAsset()
        wire.fileChecksum = asset.wireChecksum
        wire.size = Int64(asset.byteCount)
        wire.downloadURL = "https" + "://elsewhere.invalid/download/a.b/development/abc-_9"
        return wire
    }

    private func answered() -> AnsweredRecord {
        let fields = [
            WireField("a", .asset(WebSupport.descriptor(WebSupport.identifier(5), 6))),
            WireField("d", .double(0.1), isEncrypted: true), WireField("e", .list(.bytes, [])),
            WireField("i", .int64(.max)), WireField("s", .string("\u{0}x\""), isEncrypted: true),
            WireField("t", .timestamp(-1)),
        ]
        var record = AnsweredRecord(
            RecordIdentifier("r", in: zone), type: "Note",
            changeTag: String(repeating: "0a", count: 12), fields: fields,
            created: .init(
                timestamp: 1, userRecordName: WebSupport.stranger.userRecordName, deviceID: "d"),
            modified: .init(timestamp: 2, userRecordName: nil, deviceID: ""))
        record.parent = "p"
        record.share = RecordIdentifier(ZoneSharing.recordName, in: zone)
        return record
    }

    @Test("A record is read whole")
    func record() throws {
        let answer = RecordsAnswer(
            [.record(answered())], continuationMarker: [1, 2]
        ).bytes(form)
        let found = try reader.records(answer, in: zone)
        #expect(found.continuationMarker == [1, 2])
        guard case .record(let wire) = try #require(found.records.first) else {
            Issue.record("it is a record")
            return
        }
        let record = try Record(wire, assets: NoAssets())
        #expect(record.identifier == RecordIdentifier("r", in: zone) && record.type == "Note")
        #expect(
            record.tag.text == wire.changeTag && record.share == ZoneSharing.recordName
                && !record.isShare)
        #expect(record.parent == RecordIdentifier("p", in: zone))
        #expect(record.stamps.created.account == WebSupport.stranger)
        #expect(record.stamps.modified == RecordStamps.Stamp(time: 2, account: nil))
        #expect(record.sealedFields == ["d", "s"])
        for field in answered().fields where field.name != "a" {
            #expect(try record.value(of: field.name) == field.value)
        }
        guard case .asset(let asset) = try record.value(of: "a") else {
            Issue.record("it is an asset")
            return
        }
        #expect(asset.asset == WebSupport.identifier(5) && asset.byteCount == 6)
    }

    /// The record of a share, as text, with further members and participants.
    private func share(_ more: String, _ participants: String = "") -> String {
        let stranger = "{\"userRecordName\":\"\(WebSupport.stranger.userRecordName)\"}"
        return """
            {"recordName":"s","recordType":"cloudkit.share","fields":{},
            "recordChangeTag":"\(String(repeating: "0a", count: 12))",
            "created":{"timestamp":1},"modified":{"timestamp":2},
            "owner":{"userIdentity":\(stranger)},"participants":[
            {"type":"OWNER","userIdentity":\(stranger)}\(participants)]\(more)}
            """
    }

    private func participant(_ permission: String, _ status: String) -> String {
        let name = WebSupport.account.userRecordName
        return """
            ,{"type":"USER","userIdentity":{"userRecordName":"\(name)"},
            "permission":"\(permission)","acceptanceStatus":"\(status)"}
            """
    }

    @Test("A share is read with its participants and tokens; one that is none is damaged")
    func shares() throws {
        func read(_ record: String) throws -> RecordAnswer {
            let answer = "{\"records\":[\(record)]}"
            let found = try reader.records(Array(answer.utf8), in: zone)
            return try #require(found.records.first)
        }
        let identifier = WebSupport.identifier(4)
        let item = """
            {"participantId":"\(identifier.text)","permission":"READ_WRITE",
            "expirationTimestamp":5,"shortGUID":"cd"}
            """
        let invitations = ",\"shortGUID\":\"ab\",\"oneTimeInvitations\":[\(item)]"
        guard
            case .record(let found) = try read(
                share(invitations, participant("READ_ONLY", "INVITED")))
        else {
            Issue.record("it is a share")
            return
        }
        let told = try #require(found.toldShare)
        #expect(told.owner == WebSupport.stranger && told.token == "ab")
        #expect(told.participants == [WebSupport.account: .init(.readOnly, .pending)])
        #expect(
            told.invitations == [identifier: .init(.init(.readWrite, expiry: 5), token: "cd")])
        let record = try Record(found, assets: NoAssets())
        #expect(record.isShare && record.told?.sharing == told)
        for value in [found, told, record, RecordAnswer.record(found)] as [Any] {
            var text = "\(value) \(String(reflecting: value)) "
            dump(value, to: &text)
            #expect(!text.contains("\"ab\"") && !text.contains("\"cd\""), "\(text)")
        }
        for wrong in [
            share("", participant("NONE", "INVITED")), share("", participant("READ_ONLY", "GONE")),
            share("", ",{}"), share("").replacing("\"owner\"", with: "\"other\""),
            share("").replacing("participants", with: "others"),
            share(",\"oneTimeInvitations\":[{\"expirationTimestamp\":5}]"),
            share(",\"oneTimeInvitations\":{}"),
            share("", participant("READ_ONLY", "INVITED") + participant("READ_WRITE", "INVITED")),
            share(",\"oneTimeInvitations\":[\(item),\(item)]"),
        ] {
            guard case .failed(_, let error) = try read(wrong) else {
                Issue.record("it is damaged")
                continue
            }
            #expect(RecordError(error).code == .damaged)
        }
    }

    @Test("The share that a token identifies is read, or the service's error")
    func resolved() throws {
        func read(_ results: String) throws -> Result<AnsweredShare, WebError> {
            try reader.share(Array("{\"results\":[\(results)]}".utf8))
        }
        let head = """
            "zoneID":{"zoneName":"z"},"share":\(share("", participant("READ_ONLY", "ACCEPTED")))
            """
        let user = """
            "participantType":"USER","participantPermission":"READ_ONLY",
            "participantStatus":"ACCEPTED","rootRecordName":"r"
            """
        let found = try read("{\(head),\(user)}").get()
        #expect(found.root == "r" && found.permission == .readOnly)
        #expect(found.acceptance == .accepted && found.record.record.zone.name == "z")
        let own = try read("{\(head),\"participantType\":\"OWNER\"}").get()
        #expect(own.root == nil && own.permission == nil && own.acceptance == nil)
        guard case .failure(let error) = try read("{\"serverErrorCode\":\"NOT_FOUND\"}") else {
            Issue.record("it is an error")
            return
        }
        #expect(error.code == .notFound)
        for wrong in [
            "", "1", "{}", "{\(head)}", "{\(head),\"participantType\":\"USER\"}",
            "{\"participantType\":\"OWNER\",\"zoneID\":{},\"share\":{}}",
        ] {
            let fault = #expect(throws: RecordError.self) { try read(wrong) }
            #expect(fault?.code == .internalError)
        }
        let users = "{\"users\":[{\"userRecordName\":\"\(WebSupport.stranger.userRecordName)\"}]}"
        #expect(try reader.users(Array(users.utf8)) == [WebSupport.stranger])
        #expect(throws: RecordError.self) { try reader.users(Array("{\"users\":[{}]}".utf8)) }
    }

    @Test("What is gone and what failed are read, and the feed's token")
    func changes() throws {
        let gone = RecordIdentifier("x", in: zone)
        let answer = ZoneChangesAnswer(
            zone,
            [
                .deleted(gone, type: "Note"),
                .failed(recordName: "y", WebError(.notFound, "no")),
            ],
            syncToken: [7], moreComing: true)
        let found = try reader.changes(answer.bytes(form), in: zone)
        #expect(found.syncToken == [7] && found.moreComing && found.records.count == 2)
        guard case .deleted(gone, type: "Note") = found.records[0],
            case .failed("y", let error) = found.records[1]
        else {
            Issue.record("they are read in their order")
            return
        }
        #expect(RecordError(error).code == .unknownItem)
    }

    @Test("Zones are read with what happened to them")
    func zones() throws {
        typealias Item = DatabaseChangesAnswer.Item
        let shared = ZoneIdentifier("z", owner: WebSupport.stranger)
        let items = [Item(zone), Item(shared, deletion: .encryptedDataReset)]
        let changes = try reader.databaseChanges(
            DatabaseChangesAnswer(items, syncToken: [1], moreComing: false)
                .bytes(deletionReasons: true))
        #expect(changes.zones == items && changes.syncToken == [1] && !changes.moreComing)
        var reset = WebError(.zoneNotFound, "it is gone")
        reset.isAfterReset = true
        let answer = ZonesAnswer([
            .zone(zone, syncToken: nil), .deleted(shared), .failed(zone, reset),
        ])
        let found = try reader.zones(answer.bytes())
        guard case .zone(zone, _) = found[0], case .deleted(shared) = found[1],
            case .failed(zone, let error) = found[2]
        else {
            Issue.record("they are read in their order")
            return
        }
        #expect(RecordError(error).code == .encryptedDataReset)
        #expect(try reader.user(UserAnswer(WebSupport.stranger).bytes()) == WebSupport.stranger)
    }

    @Test("Of an address, only the ticket is believed")
    func addresses() throws {
        let place = Place("a.b", .development)
        let begin = "https" + "://elsewhere.invalid"
        for (url, path) in [
            ("\(begin)/upload/a.b/development/abc-_9", "/upload/a.b/development/abc-_9"),
            ("\(begin)/base/download/other/production/x", "/upload/a.b/development/x"),
            ("\(begin)/upload/a.b/development/", nil), ("\(begin)/a?b", nil), ("..", nil),
        ] as [(String, String?)] {
            let answer = UploadAnswer([.init(recordName: "r", fieldName: "f", url: url)]).bytes()
            #expect((try? AnswerReader.uploadPath(answer, in: place)) == path)
        }
    }

    @Test("A malformed record is an error in its place, and other faults are errors of the service")
    func faults() throws {
        let whole = RecordsAnswer([.record(answered()), .record(answered())]).bytes(form).text
        let broken = whole.replacing("\"INT64\"", with: "\"NONE\"", maxReplacements: 1)
        let found = try reader.records(Array(broken.utf8), in: zone)
        guard case .failed("r", let error) = found.records[0], case .record = found.records[1]
        else {
            Issue.record("only the first one is malformed")
            return
        }
        #expect(RecordError(error).code == .damaged)
        for text in ["", "{}", "[]", "{\"records\":{}}", "{\"records\":[1]}", "\u{FFFD}"] {
            let failure = #expect(throws: RecordError.self) {
                try reader.records(Array(text.utf8), in: zone)
            }
            #expect(failure?.code == .internalError)
        }
    }

    @Test("Bytes that were altered anywhere never trap", arguments: TestMode.seeds(8))
    func altered(seed: UInt64) throws {
        var random = TestRandom(seed: seed)
        let whole = ZoneChangesAnswer(
            zone, [.record(answered()), .deleted(RecordIdentifier("x", in: zone))],
            syncToken: [7], moreComing: true
        ).bytes(form)
        for _ in 0..<TestMode.pick(short: 500, long: 20_000) {
            var bytes = whole
            for _ in 0...random.below(3) {
                let place = random.below(bytes.count)
                switch random.below(3) {
                case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.removeSubrange(place..<min(place + 1 + random.below(20), bytes.count))
                default: bytes.insert(contentsOf: random.pick(Self.pieces).utf8, at: place)
                }
                if bytes.isEmpty { break }
            }
            guard let found = try? reader.changes(bytes, in: zone) else { continue }
            for case .record(let record) in found.records {
                _ = try? Record(record, assets: NoAssets())
            }
        }
    }

    private static let pieces = [
        "-", "9999999999999999999", "null", "\"\"", "{", "]", "1e400", ",\"deleted\":true",
    ]
}

/// A source from which no asset can be read.
private final class NoAssets: AssetSource {
    func read(_ asset: AssetDescriptor, _ body: (ArraySlice<UInt8>) throws -> Void) throws {
        throw RecordError(.assetNotFound, "there are none")
    }
}
