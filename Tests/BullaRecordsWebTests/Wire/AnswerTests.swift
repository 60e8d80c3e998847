import BullaRecords
import BullaRecordsWeb
import Testing

/// Compares the whole texts of answers, because strict clients refuse unknown keys.
@Suite("Answers")
struct AnswerTests {
    private let form = WebSupport.form()
    private let zone =
        "{\"zoneName\":\"myZone\",\"ownerRecordName\":\"_01010101010101010101010101010101\"}"

    private func record(_ fields: [WireField] = []) -> AnsweredRecord {
        AnsweredRecord(
            RecordIdentifier("r", in: WebSupport.zone), type: "T", changeTag: "tag", fields: fields,
            created: AnsweredRecord.Stamp(
                timestamp: 1_700_000_000_000, userRecordName: "_me", deviceID: "2"),
            modified: AnsweredRecord.Stamp(
                timestamp: 1_700_000_000_001, userRecordName: "_you", deviceID: "3"))
    }

    private func text(fields: String, more: String = "") -> String {
        joined(
            "{\"recordName\":\"r\",\"recordType\":\"T\",\"fields\":\(fields),",
            "\"recordChangeTag\":\"tag\",\"created\":{\"timestamp\":1700000000000,",
            "\"userRecordName\":\"_me\",\"deviceID\":\"2\"},\"modified\":{",
            "\"timestamp\":1700000000001,\"userRecordName\":\"_you\",\"deviceID\":\"3\"},",
            "\"deleted\":false,\"zoneID\":\(zone)\(more)}")
    }

    @Test("A record, with and without what it may have")
    func records() {
        var child = record()
        child.parent = "p"
        child.share = RecordIdentifier("s", in: WebSupport.zone)
        let answer = RecordsAnswer([.record(record()), .record(child)])
        #expect(
            answer.bytes(form).text
                == "{\"records\":[\(text(fields: "{}")),"
                + text(
                    fields: "{}",
                    more: joined(
                        ",\"parent\":{\"recordName\":\"p\"},\"share\":{\"recordName\":\"s\",",
                        "\"zoneID\":\(zone)}"))
                + "]}")
    }

    @Test("Fields echo value, type, and that they are encrypted")
    func fields() {
        let record = record([
            WireField("d", .double(0.55), isEncrypted: true),
            WireField("i", .list(.int64, [.int64(123), .int64(.min)]), isEncrypted: true),
            WireField("s", .string("a\"b")), WireField("t", .timestamp(-1)),
            WireField("b", .bytes([0, 255])), WireField("e", .list(.bytes, [])),
            WireField("gone", nil),
        ])
        #expect(
            RecordsAnswer([.record(record)]).bytes(form).text
                == "{\"records\":["
                + text(
                    fields: joined(
                        "{\"d\":{\"value\":0.55,\"type\":\"DOUBLE\",\"isEncrypted\":true},",
                        "\"i\":{\"value\":[123,-9223372036854775808],\"type\":\"INT64_LIST\",",
                        "\"isEncrypted\":true},\"s\":{\"value\":\"a\\\"b\",\"type\":\"STRING\"},",
                        "\"t\":{\"value\":-1,\"type\":\"TIMESTAMP\"},",
                        "\"b\":{\"value\":\"AP8=\",\"type\":\"BYTES\"},",
                        "\"e\":{\"value\":[],\"type\":\"BYTES_LIST\"}}")) + "]}")
    }

    @Test("Numbers of fields stand in quotes where that is asked for, and no others")
    func quotedNumbers() {
        let record = record([
            WireField("d", .double(0.5)), WireField("i", .list(.int64, [.int64(7)])),
            WireField("t", .timestamp(8)),
        ])
        #expect(
            RecordsAnswer([.record(record)]).bytes(WebSupport.form(numbersAsStrings: true)).text
                == "{\"records\":["
                + text(
                    fields: joined(
                        "{\"d\":{\"value\":\"0.5\",\"type\":\"DOUBLE\"},",
                        "\"i\":{\"value\":[\"7\"],\"type\":\"INT64_LIST\"},",
                        "\"t\":{\"value\":\"8\",\"type\":\"TIMESTAMP\"}}")) + "]}")
    }

    @Test("Locations, references and assets are dictionaries")
    func dictionaries() {
        var location = Location(latitude: 1, longitude: -2.5)
        location.speed = 3
        location.timestamp = 4
        var asset = WireAsset()
        asset.fileChecksum = "c"
        asset.size = 9
        asset.downloadURL = "web:a"
        let form = AnswerForm { [asset] _, record in
            var asset = asset
            asset.wrappingKey = record.zone.name
            return asset
        }
        let descriptor = WebSupport.descriptor(WebSupport.identifier(3), 9)
        let record = record([
            WireField("l", .location(location)),
            WireField(
                "r",
                .reference(
                    RecordReference(
                        RecordIdentifier("x", in: ZoneIdentifier("_defaultZone", owner: nil)),
                        action: .deleteSelf))),
            WireField("a", .asset(descriptor)),
            WireField("as", .list(.asset, [.asset(descriptor)])),
        ])
        let dictionary = joined(
            "{\"wrappingKey\":\"myZone\",\"fileChecksum\":\"c\",\"size\":9,",
            "\"downloadURL\":\"web:a\"}")
        #expect(
            RecordsAnswer([.record(record)]).bytes(form).text
                == "{\"records\":["
                + text(
                    fields: joined(
                        "{\"l\":{\"value\":{\"latitude\":1.0,\"longitude\":-2.5,\"speed\":3.0,",
                        "\"timestamp\":4},\"type\":\"LOCATION\"},",
                        "\"r\":{\"value\":{\"recordName\":\"x\",\"action\":\"DELETE_SELF\",",
                        "\"zoneID\":{\"zoneName\":\"_defaultZone\",",
                        "\"ownerRecordName\":\"_defaultOwner\"}},\"type\":\"REFERENCE\"},",
                        "\"a\":{\"value\":\(dictionary),\"type\":\"ASSETID\"},",
                        "\"as\":{\"value\":[\(dictionary)],\"type\":\"ASSETID_LIST\"}}")) + "]}")
    }

    @Test("What is gone, what failed, and where a query goes on")
    func others() {
        let answer = RecordsAnswer(
            [
                .deleted(RecordIdentifier("r", in: WebSupport.zone)),
                .failed(recordName: "x", WebError(.conflict, "it \"changed\"")),
                .failed(recordName: nil, WebError(.tryAgainLater, "busy", retryAfter: 3)),
            ], continuationMarker: [1, 2, 3])
        #expect(
            answer.bytes(form).text
                == joined(
                    "{\"records\":[{\"recordName\":\"r\",\"deleted\":true,\"zoneID\":\(zone)},",
                    "{\"recordName\":\"x\",\"reason\":\"it \\\"changed\\\"\",",
                    "\"serverErrorCode\":\"CONFLICT\"},",
                    "{\"reason\":\"busy\",\"serverErrorCode\":\"TRY_AGAIN_LATER\",",
                    "\"retryAfter\":3}],",
                    "\"continuationMarker\":\"AQID\"}"))
    }

    @Test("Changes of one zone and of many")
    func changes() {
        let gone = RecordIdentifier("r", in: WebSupport.zone)
        let changes = ZoneChangesAnswer(
            WebSupport.zone, [.deleted(gone)], syncToken: [0, 255], moreComing: true)
        let deleted = "{\"recordName\":\"r\",\"deleted\":true,\"zoneID\":\(zone)}"
        #expect(
            changes.bytes(form).text
                == "{\"records\":[\(deleted)],\"syncToken\":\"AP8=\",\"moreComing\":true}")
        let reset = WebError(RecordError(.encryptedDataReset, "the keys were replaced"))
        #expect(
            ZonesChangesAnswer([.changes(changes, form), .failed(WebSupport.zone, reset)])
                .bytes().text
                == joined(
                    "{\"zones\":[{\"zoneID\":\(zone),\"records\":[\(deleted)],",
                    "\"syncToken\":\"AP8=\",\"moreComing\":true},{\"zoneID\":\(zone),",
                    "\"reason\":\"encryptedDataReset: the keys were replaced\",",
                    "\"serverErrorCode\":\"ZONE_NOT_FOUND\",\"userDidResetEncryptedData\":true}]}"))
    }

    @Test("Changes of a database say why a zone is gone only where that is asked for")
    func databaseChanges() {
        let answer = DatabaseChangesAnswer(
            [
                DatabaseChangesAnswer.Item(WebSupport.zone),
                DatabaseChangesAnswer.Item(WebSupport.zone, deletion: .encryptedDataReset),
            ], syncToken: [0, 255], moreComing: false)
        let end = "],\"syncToken\":\"AP8=\",\"moreComing\":false}"
        let begin = "{\"zones\":[{\"zoneID\":\(zone)},{\"zoneID\":\(zone),\"deleted\":true"
        #expect(answer.bytes(deletionReasons: false).text == begin + "}" + end)
        #expect(
            answer.bytes(deletionReasons: true).text
                == begin + ",\"deletionReason\":\"ENCRYPTED_DATA_RESET\"}" + end)
    }

    @Test("Zones")
    func zones() {
        let answer = ZonesAnswer([
            .zone(WebSupport.zone, syncToken: [0, 255]),
            .zone(ZoneIdentifier("_defaultZone", owner: nil), syncToken: nil),
            .deleted(WebSupport.zone),
            .failed(WebSupport.zone, WebError(.zoneNotFound, "there is none")),
        ])
        #expect(
            answer.bytes().text
                == joined(
                    "{\"zones\":[{\"zoneID\":\(zone),\"syncToken\":\"AP8=\"},{\"zoneID\":",
                    "{\"zoneName\":\"_defaultZone\",\"ownerRecordName\":\"_defaultOwner\"}},",
                    "{\"zoneID\":\(zone),\"deleted\":true},",
                    "{\"zoneID\":\(zone),\"reason\":\"there is none\",",
                    "\"serverErrorCode\":\"ZONE_NOT_FOUND\"}]}"))
    }

    @Test("Users, uploads and tokens")
    func rest() {
        #expect(
            UserAnswer(WebSupport.account).bytes().text
                == "{\"userRecordName\":\"_01010101010101010101010101010101\"}")
        #expect(
            UploadAnswer([
                UploadAnswer.Item(recordName: "r", fieldName: "f", url: "web:u")
            ]).bytes().text
                == joined(
                    "{\"tokens\":[{\"recordName\":\"r\",\"fieldName\":\"f\",",
                    "\"url\":\"web:u\"}]}"))
        var asset = WireAsset()
        asset.wrappingKey = "w"
        asset.fileChecksum = "c"
        asset.receipt = "rc"
        asset.referenceChecksum = "rf"
        asset.size = 1
        #expect(
            UploadedAnswer(asset).bytes().text
                == joined(
                    "{\"singleFile\":{\"wrappingKey\":\"w\",\"fileChecksum\":\"c\",",
                    "\"receipt\":\"rc\",\"referenceChecksum\":\"rf\",\"size\":1}}"))
        #expect(
            TokenAnswer(.development, token: "t", pollURL: "web:p").bytes().text
                == joined(
                    "{\"apnsEnvironment\":\"development\",\"apnsToken\":\"t\",",
                    "\"webcourierURL\":\"web:p\"}"))
    }
}
