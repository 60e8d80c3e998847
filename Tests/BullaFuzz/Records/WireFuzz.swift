internal import BullaMemory
internal import BullaRecords
internal import BullaRecordsWeb

/// Reads an input as a part of a request: its address, one of its headers, or the body of any
/// operation.
enum WireFuzz {
    /// The first byte says what to read.
    static func run(_ input: FuzzInput) {
        var input = input
        let choice = Int(input.byte()) % (bodies.count + 1)
        guard choice < bodies.count else { return readTexts(input.rest) }
        guard let request = try? JSONValue.request(input.rest) else { return }
        for scope in [DatabaseScope.private, .public] {
            let context = context(scope)
            do { try bodies[choice](request, context) } catch {
                precondition(error is RecordError, "what is malformed is refused as a request")
            }
        }
    }

    private static let bodies: [@Sendable (JSONValue, WireContext) throws -> Void] = [
        { request, context in
            for operation in try ModifyRequest(request, context).operations {
                let name = operation.recordName ?? "new"
                _ = try? operation.change(named: name, type: operation.recordType ?? "Note")
            }
        },
        { request, context in _ = try QueryRequest(request, context) },
        { request, context in _ = try LookupRequest(request, context) },
        { request, context in _ = try ZoneChangesRequest(request, context) },
        { request, context in _ = try ZonesChangesRequest(request, context) },
        { request, context in _ = try DatabaseChangesRequest(request, context) },
        { request, context in _ = try ZonesLookupRequest(request, context) },
        { request, context in _ = try ZonesModifyRequest(request, context) },
        { request, context in _ = try UploadRequest(request, context) },
        { request, context in _ = try SharesRequest(request, context) },
        { request, _ in _ = try TokenRequest(request) },
        { request, context in _ = try RereferenceRequest(request, context) },
        { request, context in _ = try DiscoverRequest(request, context) },
    ]

    private static func readTexts(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        if let target = try? RequestTarget(text) {
            precondition(!target.place.container.isEmpty, "a target has a container")
        }
        _ = WebRoute(text)
        _ = HeaderValue(text[...])
        _ = SignatureDate.milliseconds(text)
        _ = try? RequestSignature(keyID: "key", date: text, signature: text)
        for byteCount in [0, 1, UInt64.max] {
            guard case .part(let part) = ByteRange(text, of: byteCount) else { continue }
            precondition(!part.isEmpty && part.upperBound <= byteCount, "a part is of the file")
        }
    }

    private static func context(_ scope: DatabaseScope) -> WireContext {
        WireContext(
            scope: scope, account: RecordForge.account,
            definition: { _, field in shapes[field] },
            asset: { _, _ throws(RecordError) in
                throw RecordError(.assetNotFound, "find the upload of an asset: there is none")
            })
    }

    /// One field of each kind and a list of each, named after its type on the wire.
    private static let shapes: [String: FieldShape] = {
        var shapes = ["secret": FieldShape(FieldKind(.string), isEncrypted: true)]
        for kind in ValueKind.allCases {
            shapes["\(kind)"] = FieldShape(FieldKind(kind))
            shapes["\(kind)s"] = FieldShape(FieldKind(kind, isList: true))
        }
        return shapes
    }()

    static var seeds: [[UInt8]] {
        let zone = "\"zoneID\":{\"zoneName\":\"z\",\"ownerRecordName\":\"_\(digits)\"}"
        let fields = """
            "secret":{"value":"s","type":"ENCRYPTED_STRING","isEncrypted":true},
            "int64":{"value":1},"double":{"value":"2.5"},"bytes":{"value":"AAEC"},
            "strings":{"value":["a"],"type":"STRING_LIST"},"timestamp":{"value":1.5e3},
            "location":{"value":{"latitude":1,"longitude":2,"timestamp":3}},
            "reference":{"value":{"recordName":"r","action":"DELETE_SELF",\(zone)}},
            "asset":{"value":{"fileChecksum":"c","size":3,"receipt":"r"}}
            """
        let record = """
            {"recordName":"r","recordType":"Note","recordChangeTag":"t","fields":{\(fields)},
            "parent":{"recordName":"p"}}
            """
        let filter = """
            {"comparator":"IN","fieldName":"int64","fieldValue":{"value":[1],"type":"INT64_LIST"}}
            """
        let limit = "\"resultsLimit\":3,\"desiredKeys\":[\"a\"]"
        let bodies = [
            """
            {"operations":[{"operationType":"update","record":\(record)}],"numbersAsStrings":true}
            """,
            """
            {"query":{"recordType":"Note","filterBy":[\(filter)],"sortBy":
            [{"systemFieldName":"createdTimestamp","ascending":false}]},\(limit),\(zone)}
            """,
            "{\"records\":[{\"recordName\":\"a\",\"desiredKeys\":[]}],\(zone)}",
            "{\(zone),\"syncToken\":\"AAEC\",\(limit),\"reverse\":true}",
            "{\"zones\":[{\(zone),\"syncToken\":\"AAEC\"}],\(limit)}",
            "{\"syncToken\":\"AAEC\",\"resultsLimit\":1,\"deletionReasons\":true}",
            "{\"zones\":[{\(zone)},{\"zoneName\":\"z\"}]}",
            "{\"operations\":[{\"operationType\":\"create\",\"zone\":{\(zone)}}]}",
            """
            {"tokens":[{"recordName":"r","recordType":"Note","fieldName":"asset"}],\(zone)}
            """,
            "{\"shortGUIDs\":[{\"value\":\"s\"}]}",
            "{\"apnsEnvironment\":\"production\",\"clientId\":\"c\"}",
            """
            {"assets":[{"recordName":"r","fieldName":"assets","fileChecksum":"AAEC",
            "destination":{"recordName":"s","recordType":"Note","fieldName":"asset"}}],\(zone)}
            """,
            "{\"lookupInfos\":[{\"userRecordName\":\"_\(digits)\"},{\"emailAddress\":\"a\"}]}",
        ]
        let texts = [
            "/database/1/a.b/development/private/records/query?ckAPIToken=t&ckWebAuthToken=a%2B",
            "/database/1/a.b/production/tokens/create", "/download/a.b/development/AAEC",
            "form-data; name=\"f\"; filename=\"a\\\".txt\"", "2026-11-23T12:00:00Z", "bytes=1-",
            "bytes=-5",
        ]
        return bodies.enumerated().map { [UInt8($0)] + Array($1.utf8) }
            + furtherBodies.map { [UInt8($0)] + Array($1.utf8) }
            + texts.map { [UInt8(bodies.count)] + Array($0.utf8) }
    }

    /// Bodies that change shares or search, each with the index of its reader in `bodies`.
    private static var furtherBodies: [(Int, String)] {
        [
            (
                0,
                """
                {"operations":[{"operationType":"create","record":{"recordName":"s",
                "recordType":"cloudkit.share","fields":{},"forRecord":{"recordName":"r"},
                "publicPermission":"NONE","participants":[{"permission":"READ_WRITE",
                "userIdentity":{"lookupInfo":{"userRecordName":"_\(digits)"}}}],
                "oneTimeInvitations":[{"participantId":"\(digits)","permission":"READ_ONLY",
                "expirationTimestamp":5}]}}]}
                """
            ),
            (
                1,
                """
                {"query":{"recordType":"Note","filterBy":[{"comparator":"NEAR","distance":1.5,
                "fieldName":"location","fieldValue":{"value":{"latitude":1,"longitude":2}}},
                {"comparator":"CONTAINS_ANY_TOKENS","fieldValue":{"value":["a","b"]}}],
                "sortBy":{"fieldName":"location","relativeLocation":{"latitude":1,"longitude":2}}}}
                """
            ),
        ]
    }

    private static let digits = String(repeating: "01", count: RandomIdentifier.byteCount)
}
