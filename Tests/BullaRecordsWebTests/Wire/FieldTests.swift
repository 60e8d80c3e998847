import BullaRecords
import BullaRecordsWeb
import BullaTestSupport
import Testing

@Suite("Fields on the wire")
struct FieldTests {
    @Test(
        "Every value is read as it was written, plain or encrypted, with numbers in quotes or not")
    func roundTrip() throws {
        var random = TestRandom(seed: 31)
        for _ in 0..<4_000 {
            let value = random.wireValue()
            let isEncrypted = value.kind.element.isSealable && random.isOne(in: 2)
            let inQuotes = random.isOne(in: 2)
            let field = WireField("f", value, isEncrypted: isEncrypted)
            let answer = RecordsAnswer([.record(Self.record([field]))])
                .bytes(WebSupport.form(numbersAsStrings: inQuotes))
            let fields = try #require(
                try JSONText.read(answer)["records"]?.elements.first { _ in true }?["fields"]?["f"])
            let said = (fields["type"]?.string, fields["isEncrypted"]?.bool)
            #expect(said == (FieldShape(value.kind).wireName, isEncrypted ? true : nil))
            // Send the answer's fields back in a request; in the answer, their record is inside a
            // list.
            let text = answer.text
            let start = try #require(text.firstRange(of: "\"fields\":"))
            let end = try #require(text.firstRange(of: ",\"recordChangeTag\""))
            let operation = try Self.operation(
                String(text[start.upperBound..<end.lowerBound]),
                more: ",\"numbersAsStrings\":\(inQuotes)")
            #expect(operation.fault == nil)
            #expect(operation.fields == [field])
        }
    }

    @Test(
        "A value without a type is what the schema says, or else what it looks like",
        arguments: [
            ("Other", "a", "\"x\"", .string("x")), ("Other", "a", "7", .int64(7)),
            ("Other", "a", "7.0", .double(7)), ("Other", "a", "1e3", .double(1_000)),
            ("Other", "a", "[1,2]", .list(.int64, [.int64(1), .int64(2)])),
            ("Other", "a", "[1,2.5,3]", .list(.double, [.double(1), .double(2.5), .double(3)])),
            ("Other", "a", "[\"x\"]", .list(.string, [.string("x")])),
            (
                "Other", "a", "{\"recordName\":\"r\"}",
                .reference(RecordReference(RecordIdentifier("r", in: WebSupport.zone)))
            ),
            (
                "Other", "a", "{\"latitude\":1,\"longitude\":-2}",
                .location(Location(latitude: 1, longitude: -2))
            ),
            ("Note", "amount", "7", .double(7)), ("Note", "due", "7", .timestamp(7)),
            ("Note", "data", "\"AAE=\"", .bytes([0, 1])),
            ("Note", "tags", "[]", .list(.string, [])),
            ("Note", "other", "7", .int64(7)),
        ] as [(String, String, String, RecordValue)])
    func inferred(type: String, field: String, text: String, value: RecordValue) throws {
        let operation = try Self.operation("{\"\(field)\":{\"value\":\(text)}}", type: type)
        #expect(operation.fault == nil)
        #expect(operation.fields == [WireField(field, value)])
    }

    @Test("An encrypted value without a type is refused in the words that clients know")
    func untyped() throws {
        let sample = try Self.operation(
            "{\"secret\":{\"value\":\"x\",\"isEncrypted\":true}}", type: "Note")
        #expect(
            sample.fault
                == RecordError(
                    .invalidArguments,
                    joined(
                        "invalid attempt to set value type ENCRYPTED_BYTES for field 'secret' ",
                        "for type ",
                        "'Note', defined to be: ENCRYPTED_STRING")))
        let list = try Self.operation(
            "{\"secrets\":{\"value\":[1],\"isEncrypted\":true}}", type: "Note")
        #expect(list.fault?.reason.hasSuffix("defined to be: ENCRYPTED_DOUBLE_LIST") == true)
        for field in ["unknown", "blob"] {
            let fault = try Self.operation(
                "{\"\(field)\":{\"value\":\"AAE=\",\"isEncrypted\":true}}", type: "Note"
            ).fault
            #expect(
                fault?.reason
                    == joined(
                        "invalid attempt to set value type ENCRYPTED_BYTES for field ",
                        "'\(field)' for ",
                        "type 'Note': an encrypted value is sent with its type"))
        }
    }

    @Test("A type may say that it is encrypted, but not one that the request says is plain")
    func encryptedTypes() throws {
        let typed = try Self.operation("{\"a\":{\"value\":\"x\",\"type\":\"ENCRYPTED_STRING\"}}")
        #expect(typed.fields == [WireField("a", .string("x"), isEncrypted: true)])
        let both = try Self.operation(
            "{\"a\":{\"value\":\"x\",\"type\":\"ENCRYPTED_STRING\",\"isEncrypted\":false}}")
        #expect(both.fault?.code == .invalidArguments)
        for type in ["REFERENCE", "ASSETID", "REFERENCE_LIST", "ASSETID_LIST"] {
            let fields = "{\"a\":{\"value\":{},\"type\":\"\(type)\",\"isEncrypted\":true}}"
            let refused = try Self.operation(fields)
            let place = Self.text(fields).place(behind: "\"a\":")
            #expect(
                refused.fault?.reason
                    == joined(
                        "operations[0].record.fields.a (byte \(place)): expected a type that ",
                        "can be ",
                        "encrypted, found \(type)"))
        }
    }

    @Test("A field whose value is null is to be removed")
    func removal() throws {
        let operation = try Self.operation(
            "{\"a\":{\"value\":null},\"b\":{\"value\":null,\"isEncrypted\":true},"
                + "\"c\":{\"type\":\"STRING\"}}")
        #expect(
            operation.fields == [
                WireField("a", nil), WireField("b", nil, isEncrypted: true), WireField("c", nil),
            ])
    }

    @Test(
        "A value that is not of its type is refused, for its record alone, with the place",
        arguments: [
            ("STRING", "1", "a string", "a number"),
            ("INT64", "\"1\"", "an integer", "a string"),
            ("INT64", "1.5", "an integer of 64 bits", "another number"),
            ("INT64", "9223372036854775808", "an integer of 64 bits", "another number"),
            ("DOUBLE", "true", "a number", "a boolean"),
            ("TIMESTAMP", "1e300", "an integer of 64 bits", "another number"),
            ("TIMESTAMP", "\"now\"", "an integer", "a string"),
            ("BYTES", "\"A\"", "base64 with its padding", "another string"),
            ("BYTES", "[1]", "base64 in a string", "an array"),
            ("LOCATION", "[1,2]", "an object", "an array"),
            ("LOCATION", "{\"latitude\":1}", "the key longitude", "an object without it"),
            ("REFERENCE", "{}", "the key recordName", "an object without it"),
            ("ASSETID", "\"x\"", "an object", "a string"),
            ("STRING_LIST", "\"x\"", "an array", "a string"),
        ])
    func mistyped(type: String, text: String, expected: String, found: String) throws {
        let fields = "{\"a\":{\"type\":\"\(type)\",\"value\":\(text)}}"
        let operation = try Self.operation(fields)
        let place = Self.text(fields).place(behind: "\"value\":")
        #expect(operation.recordName == "r")
        #expect(operation.fields == [])
        #expect(
            operation.fault
                == RecordError(
                    .invalidArguments,
                    joined(
                        "operations[0].record.fields.a.value (byte \(place)): ",
                        "expected \(expected), found \(found)")))
    }

    @Test(
        "What is no field, or no type, is refused",
        arguments: [
            "{\"a\":1}", "{\"a\":{}}", "{\"a\":null}", "{\"a\":{\"value\":1,\"type\":\"INT\"}}",
            "{\"a\":{\"value\":1,\"type\":7}}", "{\"a\":{\"value\":1,\"isEncrypted\":1}}",
            "{\"a\":{\"value\":true}}", "{\"a\":{\"value\":[]}}", "{\"a\":{\"value\":[[1]]}}",
            "{\"a\":{\"value\":[1,\"x\"]}}", "{\"a\":{\"value\":{\"x\":1}}}",
            "{\"a\":{\"value\":[null],\"type\":\"INT64_LIST\"}}",
            "{\"a\":{\"value\":99999999999999999999}}",
            "{\"a\":{\"value\":{\"recordName\":\"r\",\"action\":\"DELETE\"}}}",
        ])
    func strange(fields: String) throws {
        #expect(try Self.operation(fields).fault?.code == .invalidArguments)
    }

    @Test("Times of a finer clock, and base64 in lines, are read")
    func lenient() throws {
        let operation = try Self.operation(
            "{\"t\":{\"type\":\"TIMESTAMP\",\"value\":1700000000000.75},"
                + "\"u\":{\"type\":\"TIMESTAMP\",\"value\":-1.7e12},"
                + "\"b\":{\"type\":\"BYTES\",\"value\":\"AAE\\nCAw==\\r\\n\"}}")
        #expect(
            operation.fields == [
                WireField("t", .timestamp(1_700_000_000_001)),
                WireField("u", .timestamp(-1_700_000_000_000)),
                WireField("b", .bytes([0, 1, 2, 3])),
            ])
    }

    @Test("Numbers stand in quotes only where the request says so")
    func quoted() throws {
        let fields = "{\"a\":{\"type\":\"INT64\",\"value\":\"9223372036854775807\"}}"
        #expect(try Self.operation(fields).fault != nil)
        let operation = try Self.operation(fields, more: ",\"numbersAsStrings\":true")
        #expect(operation.fields == [WireField("a", .int64(.max))])
        for text in ["", " 1", "1 ", "0x1", "NaN", "1,2", "[1]", "1e400"] {
            let operation = try Self.operation(
                "{\"a\":{\"type\":\"DOUBLE\",\"value\":\"\(text)\"}}",
                more: ",\"numbersAsStrings\":true")
            #expect(operation.fault?.code == .invalidArguments)
        }
    }

    @Test("A record with a number that JSON has no text for is answered as one that failed")
    func unsayable() {
        for value in [
            RecordValue.double(.nan), .double(.infinity), .list(.double, [.double(-.infinity)]),
            .location(Location(latitude: .nan, longitude: 0)),
        ] {
            let answer = RecordsAnswer([.record(Self.record([WireField("f", value)]))])
            #expect(
                answer.bytes(WebSupport.form()).text
                    == joined(
                        "{\"records\":[{\"recordName\":\"r\",",
                        "\"reason\":\"field f holds a number that ",
                        "JSON has no text for\",\"serverErrorCode\":\"INTERNAL_ERROR\"}]}"))
        }
    }

    static func record(_ fields: [WireField]) -> AnsweredRecord {
        let stamp = AnsweredRecord.Stamp(
            timestamp: 1, userRecordName: WebSupport.account.userRecordName, deviceID: "d")
        return AnsweredRecord(
            RecordIdentifier("r", in: WebSupport.zone), type: "T", changeTag: "t", fields: fields,
            created: stamp, modified: stamp)
    }

    private static func operation(
        _ fields: String, type: String = "T", more: String = ""
    ) throws -> RecordOperation {
        let request = try ModifyRequest(
            WebSupport.json(text(fields, type: type, more: more)), WebSupport.context())
        return try #require(request.operations.first)
    }

    private static func text(_ fields: String, type: String = "T", more: String = "") -> String {
        joined(
            "{\"zoneID\":{\"zoneName\":\"myZone\"},\"operations\":[{\"operationType\":\"create\",",
            "\"record\":{\"recordName\":\"r\",\"fields\":\(fields),",
            "\"recordType\":\"\(type)\"}}]\(more)}")
    }
}
