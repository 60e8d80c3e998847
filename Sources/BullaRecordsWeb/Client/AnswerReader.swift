package import BullaRecords

/// Reads the answers of a service for a client.
///
/// A client takes nothing on trust: whatever it does not expect in an answer becomes an error.
package struct AnswerReader: Sendable {
    let context: WireContext

    /// - Parameters:
    ///   - viewer: the user, who owns the zones that the service names without an owner.
    ///   - asset: finds the descriptor of each asset in a record.
    package init(
        _ scope: DatabaseScope, viewer: AccountIdentifier?,
        asset: @escaping WireContext.AssetFinder
    ) {
        context = WireContext(
            scope: scope, account: viewer,
            definition: { _, _ in nil }, asset: asset)
    }

    /// The results of `records/modify`, `records/lookup` and `records/query`.
    package func records(
        _ bytes: [UInt8], in zone: ZoneIdentifier
    ) throws(RecordError) -> RecordsAnswer {
        try reading(bytes) { value throws(RecordError) in
            RecordsAnswer(
                try records(value, zone),
                continuationMarker: try value.optionalToken("continuationMarker"))
        }
    }

    package func changes(
        _ bytes: [UInt8], in zone: ZoneIdentifier
    ) throws(RecordError) -> ZoneChangesAnswer {
        try reading(bytes) { value throws(RecordError) in
            ZoneChangesAnswer(
                zone, try records(value, zone), syncToken: try token(value),
                moreComing: try value.flag("moreComing") ?? false)
        }
    }

    package func databaseChanges(
        _ bytes: [UInt8]
    ) throws(RecordError) -> DatabaseChangesAnswer {
        try reading(bytes) { value throws(RecordError) in
            var zones: [DatabaseChangesAnswer.Item] = []
            for item in try value.required("zones").asList() {
                let zone = try WireZone.read(item.required("zoneID"), context)
                zones.append(DatabaseChangesAnswer.Item(zone, deletion: try deletion(item)))
            }
            return DatabaseChangesAnswer(
                zones, syncToken: try token(value),
                moreComing: try value.flag("moreComing") ?? false)
        }
    }

    /// The results of `zones/list`, `zones/lookup` and `zones/modify`.
    package func zones(_ bytes: [UInt8]) throws(RecordError) -> [ZonesAnswer.Item] {
        try reading(bytes) { value throws(RecordError) in
            var zones: [ZonesAnswer.Item] = []
            for item in try value.required("zones").asList() {
                let zone = try WireZone.read(item.required("zoneID"), context)
                if let error = WebError(item: item) {
                    zones.append(.failed(zone, error))
                } else if try item.flag("deleted") == true {
                    zones.append(.deleted(zone))
                } else {
                    zones.append(.zone(zone, syncToken: nil))
                }
            }
            return zones
        }
    }

    package func user(_ bytes: [UInt8]) throws(RecordError) -> AccountIdentifier {
        try reading(bytes) { value throws(RecordError) in
            let name = try value.required("userRecordName")
            guard let account = AccountIdentifier(userRecordName: try name.asText()) else {
                throw name.refusal("the record name of a user", found: "another name")
            }
            return account
        }
    }

    /// The token in the answer to a sign-in.
    package static func webAuthToken(_ bytes: [UInt8]) throws(RecordError) -> String {
        try reading(bytes) { value throws(RecordError) in
            try value.requiredText("ckWebAuthToken")
        }
    }

    /// The path to which a file can be sent, from the answer to `assets/upload`.
    package static func uploadPath(
        _ bytes: [UInt8], in place: Place
    ) throws(RecordError) -> String {
        try reading(bytes) { value throws(RecordError) in
            for item in try value.required("tokens").asList() {
                let url = try item.requiredText("url")
                if let path = TicketTarget.path(in: url, of: .upload, place) { return path }
            }
            throw value.refusal("an address", found: "none")
        }
    }

    /// The asset, with its receipt, in the answer to an upload.
    package static func uploaded(_ bytes: [UInt8]) throws(RecordError) -> WireAsset {
        try reading(bytes) { value throws(RecordError) in
            try WireAsset(value.required("singleFile"))
        }
    }

    /// The path from which a file can be read; `nil` if the asset names none.
    package static func downloadPath(of asset: WireAsset, in place: Place) -> String? {
        asset.downloadURL.flatMap { TicketTarget.path(in: $0, of: .download, place) }
    }

    /// Runs a reader; if it refuses the answer, the error blames the service, not the caller.
    private static func reading<R>(
        _ bytes: [UInt8], _ body: (JSONValue) throws(RecordError) -> R
    ) throws(RecordError) -> R {
        do throws(RecordError) {
            return try body(JSONValue.request(bytes, limits: JSONLimits(byteLimit: bytes.count)))
        } catch {
            throw RecordError(.internalError, "read the service's answer: \(error.reason)")
        }
    }

    func reading<R>(
        _ bytes: [UInt8], _ body: (JSONValue) throws(RecordError) -> R
    ) throws(RecordError) -> R {
        try Self.reading(bytes, body)
    }
}

extension AnswerReader {
    private func token(_ value: JSONValue) throws(RecordError) -> [UInt8] {
        guard let token = try value.optionalToken("syncToken") else {
            throw value.refusal("a token", found: "none")
        }
        return token
    }

    private func deletion(
        _ item: JSONValue
    ) throws(RecordError) -> DatabaseChangesAnswer.Item.DeletionReason? {
        guard try item.flag("deleted") == true else { return nil }
        let reason = try item.optionalText("deletionReason") ?? ""
        return DatabaseChangesAnswer.Item.DeletionReason(rawValue: reason) ?? .deleted
    }

    private func records(
        _ value: JSONValue, _ zone: ZoneIdentifier
    ) throws(RecordError) -> [RecordAnswer] {
        var records: [RecordAnswer] = []
        for item in try value.required("records").asList() {
            records.append(try record(item.asObject(), zone))
        }
        return records
    }

    /// A record, a deletion or an error; a malformed record becomes an error.
    private func record(
        _ value: JSONValue, _ zone: ZoneIdentifier
    ) throws(RecordError) -> RecordAnswer {
        if let error = WebError(item: value) {
            return .failed(recordName: try value.optionalText("recordName"), error)
        }
        let name = try value.requiredText("recordName")
        if try value.flag("deleted") == true {
            return .deleted(
                RecordIdentifier(name, in: zone), type: try value.optionalText("recordType"))
        }
        do throws(RecordError) {
            return .record(try AnsweredRecord(value, RecordIdentifier(name, in: zone), context))
        } catch {
            let reason = "\(RecordError.Code.damaged.rawValue): \(error.reason)"
            return .failed(recordName: name, WebError(.internalError, reason))
        }
    }
}

extension AnsweredRecord {
    /// Reads a record in an answer.
    init(
        _ value: JSONValue, _ record: RecordIdentifier, _ context: WireContext
    ) throws(RecordError) {
        let type = try value.requiredText("recordType")
        let reader = FieldReader(
            context: context, recordName: record.name, recordType: type, zone: record.zone,
            numbersAsStrings: false)
        self.init(
            record, type: type, changeTag: try value.requiredText("recordChangeTag"),
            fields: try reader.fields(value.required("fields")),
            created: try Stamp(value.required("created")),
            modified: try Stamp(value.required("modified")))
        parent = try value.optional("parent")?.requiredText("recordName")
        share = try value.optional("share").map { share throws(RecordError) in
            RecordIdentifier(try share.requiredText("recordName"), in: record.zone)
        }
        if type == SystemType.share { toldShare = try ToldShare(value) }
    }
}

extension AnsweredRecord.Stamp {
    fileprivate init(_ value: JSONValue) throws(RecordError) {
        let time = try value.asObject().required("timestamp")
        self.init(
            timestamp: try FieldReader.timestamp(time, at: time),
            userRecordName: try value.optionalText("userRecordName"),
            deviceID: try value.optionalText("deviceID") ?? "")
    }
}
