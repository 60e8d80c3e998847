package import BullaRecords

/// A request for the changes of one zone.
package struct ZoneChangesRequest: Hashable, Sendable {
    package let zone: ZoneIdentifier
    /// The position to continue from; `nil` for all changes.
    package let syncToken: [UInt8]?
    package let resultsLimit: Int
    package let desiredKeys: Set<String>?
    /// The types of the records to return; `nil` for all.
    package let desiredRecordTypes: Set<String>?
    package let isReverse: Bool
    package let numbersAsStrings: Bool
    /// Whether values that are sealed for users stay sealed, so that the answer leaves them out.
    package let keepsSealed: Bool
    /// Whether the answer reports deletions even to a client that has no token, because the client
    /// may already have records of the zone.
    package let hasRecords: Bool
    /// Whether the answer gives the types of deleted records.
    ///
    /// A client that did not ask for the types would reject an answer that has them.
    package let deletedTypes: Bool
    /// Whether the answer includes the invitations of shares.
    package let hasInvitations: Bool

    /// Reads a request of `records/changes`.
    package init(_ value: JSONValue, _ context: WireContext) throws(RecordError) {
        try self.init(
            zone: WireZone.readMember(of: value, context), value, within: nil, context)
    }

    /// - Parameter request: gives the values that the zone's own dictionary lacks.
    fileprivate init(
        zone: ZoneIdentifier, _ value: JSONValue, within request: JSONValue?,
        _ context: WireContext
    ) throws(RecordError) {
        func either<R>(_ read: (JSONValue) throws(RecordError) -> R?) throws(RecordError) -> R? {
            if let own = try read(value) { return own }
            guard let request else { return nil }
            return try read(request)
        }
        self.zone = zone
        syncToken = try value.optionalToken("syncToken")
        let limited = value.optional("resultsLimit") == nil ? request ?? value : value
        resultsLimit = try limited.resultsLimit(context)
        desiredKeys = try either { value throws(RecordError) in try value.names("desiredKeys") }
        desiredRecordTypes = try either { value throws(RecordError) in
            try value.names("desiredRecordTypes")
        }
        isReverse =
            try either { value throws(RecordError) in try value.flag("reverse") } ?? false
        numbersAsStrings =
            try either { value throws(RecordError) in try value.flag("numbersAsStrings") } ?? false
        keepsSealed =
            try either { value throws(RecordError) in try value.flag("keepSealed") } ?? false
        hasRecords =
            try either { value throws(RecordError) in try value.flag("hasRecords") } ?? false
        deletedTypes =
            try either { value throws(RecordError) in try value.flag("deletedTypes") } ?? false
        hasInvitations = try (request ?? value).asksForInvitations()
    }
}

/// A request of `changes/zone`.
package struct ZonesChangesRequest: Hashable, Sendable {
    package let zones: [ZoneChangesRequest]

    package init(_ value: JSONValue, _ context: WireContext) throws(RecordError) {
        var zones: [ZoneChangesRequest] = []
        for zone in try value.requiredList("zones", limit: context.limits.itemLimit) {
            let zone = try zone.asObject()
            zones.append(
                try ZoneChangesRequest(
                    zone: WireZone.read(zone.required("zoneID"), context), zone, within: value,
                    context))
        }
        self.zones = zones
    }
}

/// A request of `changes/database`.
package struct DatabaseChangesRequest: Hashable, Sendable {
    package let syncToken: [UInt8]?
    package let resultsLimit: Int
    /// Whether the answer should say why a zone no longer exists.
    package let deletionReasons: Bool

    package init(_ value: JSONValue, _ context: WireContext) throws(RecordError) {
        syncToken = try value.optionalToken("syncToken")
        resultsLimit = try value.resultsLimit(context)
        deletionReasons = try value.flag("deletionReasons") ?? false
    }
}
