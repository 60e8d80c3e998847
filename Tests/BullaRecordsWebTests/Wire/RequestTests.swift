import BullaRecords
import BullaRecordsWeb
import BullaTestSupport
import Testing

@Suite("Requests")
struct RequestTests {
    private let context = WebSupport.context()
    private let defaultZone = ZoneIdentifier("_defaultZone", owner: WebSupport.account)

    @Test("The corrected request of Apple's page is read")
    func applesSample() throws {
        let request = try ModifyRequest(try WebSupport.json(WebSamples.modify), context)
        #expect(request.zone == WebSupport.zone)
        #expect(request.atomic == nil && request.desiredKeys == nil && !request.numbersAsStrings)
        let operation = try #require(request.operations.first)
        #expect(operation.kind == .create)
        #expect(operation.recordName == "recordWithEncryptedFields")
        #expect(operation.recordType == "myRecordType")
        #expect(operation.fault == nil)
        #expect(
            operation.fields == [
                WireField("myDoubleField", .double(0.55), isEncrypted: true),
                WireField(
                    "myIntListField", .list(.int64, [.int64(123), .int64(456), .int64(789)]),
                    isEncrypted: true),
            ])
    }

    @Test("The request as it is printed there is refused, with the place")
    func applesSampleAsPrinted() throws {
        let text = WebSamples.modifyAsPrinted
        let place = text.place(behind: "\"recordName\"") - 12
        let error = #expect(throws: RecordError.self) { try WebSupport.json(text) }
        #expect(
            error?.reason == "read the request: byte \(place): expected ',' or '}', found a quote")
        #expect(error.map { WebError($0).code } == .badRequest)
    }

    @Test(
        "Every operation is read, with all that it may say",
        arguments: RecordOperation.Kind.allCases)
    func modify(kind: RecordOperation.Kind) throws {
        let request = try ModifyRequest(
            try WebSupport.json(
                """
                {"atomic":false,"desiredKeys":["a","b","a"],"numbersAsStrings":true,
                "what":{"new":1},
                "operations":[{"operationType":"\(kind.rawValue)","strange":0,"record":{
                "recordName":"r","recordType":"T","recordChangeTag":"tag","pluginFields":{},
                "parent":{"recordName":"p"},"deleted":false,"created":{"timestamp":1},
                "zoneID":{"zoneName":"other",
                "ownerRecordName":"_\(WebSupport.stranger.identifier.text)"},
                "fields":{"a":{"value":"1","type":"INT64"}}}}]}
                """), context)
        #expect(request.atomic == false && request.desiredKeys == ["a", "b"])
        #expect(request.zone == defaultZone)
        let operation = try #require(request.operations.first)
        let zone = ZoneIdentifier("other", owner: WebSupport.stranger)
        #expect(operation.kind == kind && operation.zone == zone && operation.fault == nil)
        #expect(operation.recordName == "r" && operation.recordType == "T")
        #expect(operation.recordChangeTag == "tag")
        #expect(operation.parent == .set(RecordIdentifier("p", in: zone)))
        #expect(operation.fields == (kind.isDeletion ? [] : [WireField("a", .int64(1))]))
    }

    @Test("A parent is kept, removed or set")
    func parents() throws {
        for (text, change) in [
            ("", RecordOperation.ParentChange.keep), (",\"parent\":null", .remove),
            (",\"parent\":{\"recordName\":\"p\"}", .set(RecordIdentifier("p", in: defaultZone))),
        ] {
            let request = try ModifyRequest(
                try WebSupport.json(
                    "{\"operations\":[{\"operationType\":\"update\",\"record\":"
                        + "{\"recordName\":\"r\"\(text)}}]}"), context)
            #expect(request.operations.map(\.parent) == [change])
        }
    }

    @Test(
        "A request that is not whole is refused with the place",
        arguments: [
            ("{}", "the request (byte 0): expected the key operations, found an object without it"),
            ("{\"operations\":{}}", "operations (byte 14): expected an array, found an object"),
            ("{\"operations\":[7]}", "operations[0] (byte 15): expected an object, found a number"),
            (
                "{\"operations\":[{\"operationType\":\"make\"}]}",
                "operations[0].operationType (byte 32): expected the name of an operation, found "
                    + "another name"
            ),
            (
                "{\"operations\":[{\"operationType\":\"create\"}]}",
                "operations[0] (byte 15): expected the key record, found an object without it"
            ),
            (
                "{\"operations\":[{\"operationType\":\"create\",\"record\":{}}]}",
                "operations[0].record (byte 50): expected the key recordType, found an object "
                    + "without it"
            ),
            (
                "{\"operations\":[{\"operationType\":\"delete\",\"record\":{\"fields\":{}}}]}",
                "operations[0].record (byte 50): expected the key recordName, found an object "
                    + "without it"
            ),
            ("{\"atomic\":1}", "atomic (byte 10): expected true or false, found a number"),
            (
                "{\"zoneID\":{\"ownerRecordName\":\"me\"}}",
                "zoneID.ownerRecordName (byte 29): expected the record name of a user, found "
                    + "another name"
            ),
        ])
    func refusals(text: String, reason: String) {
        #expect(throws: RecordError(.invalidArguments, reason)) {
            try ModifyRequest(try WebSupport.json(text), context)
        }
    }

    @Test("More operations than the limit are refused")
    func tooMany() throws {
        let operation = "{\"operationType\":\"delete\",\"record\":{\"recordName\":\"r\"}}"
        let context = WebSupport.context(limits: WireLimits(itemLimit: 3))
        for count in 0...4 {
            let list = Array(repeating: operation, count: count).joined(separator: ",")
            let value = try WebSupport.json("{\"operations\":[\(list)]}")
            if count <= 3 {
                #expect(try ModifyRequest(value, context).operations.count == count)
            } else {
                #expect(
                    throws: RecordError(
                        .limitExceeded, "operations (byte 14): expected at most 3, found 4")
                ) { try ModifyRequest(value, context) }
            }
        }
    }

    @Test("A zone without an owner is the asking account's, or nobody's in the public database")
    func owners() throws {
        for name in ["", ",\"ownerRecordName\":\"_defaultOwner\"", ",\"ownerRecordName\":null"] {
            let text = "{\"tokens\":[],\"zoneID\":{\"zoneName\":\"z\"\(name),\"zoneType\":\"X\"}}"
            let value = try WebSupport.json(text)
            #expect(
                try UploadRequest(value, context).zone
                    == ZoneIdentifier("z", owner: WebSupport.account))
            #expect(
                try UploadRequest(value, WebSupport.context(.public)).zone
                    == ZoneIdentifier("z", owner: nil))
        }
    }

    @Test("A lookup is read")
    func lookup() throws {
        let request = try LookupRequest(
            try WebSupport.json(
                """
                {"records":[{"recordName":"a"},{"recordName":"b","desiredKeys":["y"]}],
                "zoneID":{"zoneName":"myZone"},"desiredKeys":["x"],"numbersAsStrings":false}
                """), context)
        #expect(request.items.map(\.record.name) == ["a", "b"])
        #expect(request.items.map(\.record.zone) == [WebSupport.zone, WebSupport.zone])
        #expect(request.items.map(\.desiredKeys) == [["x"], ["y"]])
        #expect(request.zone == WebSupport.zone)
    }

    @Test("Changes are asked of one zone, of many, and of a database")
    func changes() throws {
        let one = try ZoneChangesRequest(
            try WebSupport.json("{\"zoneID\":{\"zoneName\":\"myZone\"},\"syncToken\":\"AP8=\"}"),
            context)
        #expect(
            one.zone == WebSupport.zone && one.syncToken == [0, 255] && one.resultsLimit == 200)
        #expect(one.desiredKeys == nil && one.desiredRecordTypes == nil && !one.isReverse)
        let many = try ZonesChangesRequest(
            try WebSupport.json(
                """
                {"resultsLimit":7,"desiredKeys":["a"],"desiredRecordTypes":["T"],"reverse":true,
                "numbersAsStrings":true,
                "zones":[{"zoneID":{"zoneName":"myZone"},"syncToken":"AP8="},
                {"zoneID":{"zoneName":"b"},"resultsLimit":3,"desiredKeys":[],"reverse":false,
                "desiredRecordTypes":[],"numbersAsStrings":false}]}
                """), context
        ).zones
        #expect(many.map(\.syncToken) == [[0, 255], nil] && many.map(\.resultsLimit) == [7, 3])
        #expect(many.map(\.desiredKeys) == [["a"], []])
        #expect(many.map(\.desiredRecordTypes) == [["T"], []])
        #expect(many.map(\.isReverse) == [true, false])
        #expect(many.map(\.numbersAsStrings) == [true, false])
        let database = try DatabaseChangesRequest(
            try WebSupport.json("{\"syncToken\":\"AP8=\",\"deletionReasons\":true}"), context)
        #expect(database.syncToken == [0, 255] && database.deletionReasons)
        #expect(try !DatabaseChangesRequest(try WebSupport.json(""), context).deletionReasons)
        for text in ["{\"zones\":[{}]}", "{\"zones\":[{\"zoneID\":{},\"syncToken\":\"t\"}]}"] {
            #expect(throws: RecordError.self) {
                try ZonesChangesRequest(try WebSupport.json(text), context)
            }
        }
    }

    @Test("Zones are looked up and modified")
    func zones() throws {
        let lookup = try ZonesLookupRequest(
            try WebSupport.json(
                "{\"zones\":[{\"zoneName\":\"myZone\"},{\"zoneID\":{\"zoneName\":\"b\"}}]}"),
            context)
        #expect(lookup.zones == [WebSupport.zone, ZoneIdentifier("b", owner: WebSupport.account)])
        let modify = try ZonesModifyRequest(
            try WebSupport.json(
                """
                {"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"myZone"}}},
                {"operationType":"delete","zone":{"zoneID":{"zoneName":"b"}}}]}
                """), context)
        #expect(modify.operations.map(\.kind) == [.create, .delete])
        #expect(modify.operations.map(\.zone) == lookup.zones)
        #expect(throws: RecordError.self) {
            try ZonesModifyRequest(
                try WebSupport.json("{\"operations\":[{\"operationType\":\"update\"}]}"), context)
        }
    }

    @Test("Uploads and tokens are asked for")
    func uploads() throws {
        let upload = try UploadRequest(
            try WebSupport.json(
                """
                {"zoneID":{"zoneName":"myZone"},"tokens":[
                {"recordType":"T","fieldName":"f","recordName":"r"},
                {"recordType":"T","fieldName":"g"}]}
                """), context)
        #expect(upload.zone == WebSupport.zone)
        #expect(upload.items.map(\.recordName) == ["r", nil])
        #expect(upload.items.map(\.fieldName) == ["f", "g"])
        let token = try TokenRequest(
            try WebSupport.json("{\"apnsEnvironment\":\"production\",\"clientId\":\"c\"}"))
        #expect(token.environment == .production && token.clientIdentifier == "c")
        #expect(throws: RecordError.self) {
            try TokenRequest(try WebSupport.json("{\"apnsEnvironment\":\"test\"}"))
        }
    }

    @Test("A body that is no object is refused")
    func bodies() {
        for text in ["[]", "1", "null", "{}x", "\u{0}"] {
            #expect(throws: RecordError.self) { try WebSupport.json(text) }
        }
    }

    @Test("Changed requests are read or refused")
    func mutations() {
        var random = TestRandom(seed: 32)
        let texts = [WebSamples.modify, WebSamples.query].map { Array($0.utf8) }
        for _ in 0..<20_000 {
            var bytes = random.pick(texts)
            for _ in 0...random.below(2) {
                let place = random.below(bytes.count)
                let length = min(random.below(12), bytes.count - place)
                let other = random.below(bytes.count - length)
                bytes.replaceSubrange(place..<place + length, with: bytes[other..<other + length])
            }
            guard let value = try? JSONValue.request(bytes) else { continue }
            for error in [
                refusal { () throws(RecordError) in _ = try ModifyRequest(value, context) },
                refusal { () throws(RecordError) in _ = try QueryRequest(value, context) },
                refusal { () throws(RecordError) in _ = try ZonesChangesRequest(value, context) },
            ] {
                #expect(error.map { $0.code == .invalidArguments } ?? true)
            }
        }
    }

    private func refusal(_ body: () throws(RecordError) -> Void) -> RecordError? {
        do throws(RecordError) {
            try body()
            return nil
        } catch {
            return error
        }
    }
}
