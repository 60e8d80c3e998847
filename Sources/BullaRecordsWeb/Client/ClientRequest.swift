package import BullaRecords

/// A request in the form that a client writes and ``WebService`` reads.
package struct ClientRequest: Sendable {
    package let operation: ServiceOperation
    package let body: [UInt8]

    private init(
        _ operation: ServiceOperation, _ write: (inout JSONWriter) -> Void = { _ in }
    ) {
        self.operation = operation
        body = answer(256, write)
    }

    package static let currentUser = ClientRequest(.currentUser)
    package static let listZones = ClientRequest(.listZones)

    /// A request that finds out whether a user has an account.
    package static func discover(_ account: AccountIdentifier) -> ClientRequest {
        ClientRequest(.discoverUsers) { writer in
            writer.list("lookupInfos", [account]) { $1.userIdentity($0) }
        }
    }

    /// A request for the share that a token identifies.
    ///
    /// - Parameter accepts: whether the user accepts the share.
    package static func share(_ token: String, accepts: Bool) -> ClientRequest {
        ClientRequest(accepts ? .acceptShares : .resolveShares) { writer in
            writer.list("shortGUIDs", [token]) { token, writer in
                writer.beginObject()
                writer.member("value", token)
                writer.endObject()
            }
            writer.member(WireInvitation.listKey, true)
        }
    }

    package static func lookUp(_ zone: ZoneIdentifier) -> ClientRequest {
        ClientRequest(.lookUpZones) { writer in
            writer.list("zones", [zone]) { $1.zone($0) }
        }
    }

    package static func change(
        _ zone: ZoneIdentifier, _ kind: ZonesModifyRequest.Operation.Kind
    ) -> ClientRequest {
        ClientRequest(.modifyZones) { writer in
            writer.list("operations", [zone]) { zone, writer in
                writer.beginObject()
                writer.member("operationType", kind.rawValue)
                writer.key("zone")
                writer.beginObject()
                writer.key("zoneID")
                writer.zone(zone)
                writer.endObject()
                writer.endObject()
            }
        }
    }

    /// - Parameter fields: the fields that the client needs; `nil` for all. The functions below
    ///   that have this parameter use it in the same way.
    package static func lookUp(
        _ names: [String], in zone: ZoneIdentifier, fields: Set<String>? = nil
    ) -> ClientRequest {
        ClientRequest(.lookUpRecords) { writer in
            writer.member("zoneID", zone)
            writer.member("desiredKeys", fields)
            writer.member(WireInvitation.listKey, true)
            writer.list("records", names) { name, writer in
                writer.beginObject()
                writer.member("recordName", name)
                writer.endObject()
            }
        }
    }

    /// A request for the changes of a zone, with the types of deleted records.
    ///
    /// - Parameter hasRecords: whether the client may already have records of the zone; if so, the
    ///   answer reports deletions even if `token` is `nil`.
    package static func changes(
        in zone: ZoneIdentifier, since token: [UInt8]?, limit: Int?, fields: Set<String>? = nil,
        hasRecords: Bool = false
    ) -> ClientRequest {
        ClientRequest(.recordChanges) { writer in
            writer.member("zoneID", zone)
            if let token { writer.member("syncToken", token: token) }
            if let limit { writer.member("resultsLimit", Int64(limit)) }
            writer.member("desiredKeys", fields)
            writer.member(WireInvitation.listKey, true)
            writer.member("deletedTypes", true)
            if hasRecords { writer.member("hasRecords", true) }
        }
    }

    package static func databaseChanges(since token: [UInt8]?, limit: Int?) -> ClientRequest {
        ClientRequest(.databaseChanges) { writer in
            if let token { writer.member("syncToken", token: token) }
            if let limit { writer.member("resultsLimit", Int64(limit)) }
            writer.member("deletionReasons", true)
        }
    }

    package static func upload(for field: AssetField) -> ClientRequest {
        ClientRequest(.uploadAssets) { writer in
            writer.member("zoneID", field.zone)
            writer.list("tokens", [field]) { field, writer in
                writer.beginObject()
                writer.member("recordName", field.recordName)
                writer.member("recordType", field.recordType)
                writer.member("fieldName", field.name)
                writer.endObject()
            }
        }
    }

    package static func query(
        _ query: RecordQuery, in zone: ZoneIdentifier, after mark: [UInt8]?, limit: Int?,
        fields: Set<String>? = nil
    ) -> ClientRequest {
        ClientRequest(.queryRecords) { writer in
            writer.member("zoneID", zone)
            if let mark { writer.member("continuationMarker", token: mark) }
            if let limit { writer.member("resultsLimit", Int64(limit)) }
            writer.member("desiredKeys", fields)
            writer.member(WireInvitation.listKey, true)
            writer.key("query")
            query.append(to: &writer, in: zone)
        }
    }

    /// - Parameter form: makes the dictionaries of assets.
    package static func modify(
        _ changes: [RecordChange], in zone: ZoneIdentifier, atomically: Bool, _ form: AnswerForm
    ) -> ClientRequest {
        ClientRequest(.modifyRecords) { writer in
            writer.member("zoneID", zone)
            writer.member("atomic", atomically)
            writer.member(WireInvitation.listKey, true)
            writer.list("operations", changes) { change, writer in
                let record = RecordIdentifier(change.name, in: zone)
                change.append(to: &writer, FieldWriter(form: form, record: record))
            }
        }
    }
}

/// A request can contain values that only the service may see.
extension ClientRequest: Untold {
    package var description: String { "a request of \(operation.rawValue)" }
}

extension JSONWriter {
    fileprivate mutating func member(_ key: String, _ zone: ZoneIdentifier) {
        self.key(key)
        self.zone(zone)
    }

    fileprivate mutating func member(_ key: String, _ names: Set<String>?) {
        guard let names else { return }
        list(key, names.sorted()) { $1.string($0) }
    }
}
