package import BullaRecords

/// A request of `records/modify`.
package struct ModifyRequest: Sendable {
    package let operations: [RecordOperation]
    /// Whether one failed operation makes all others fail; `nil` if the request leaves that to the
    /// service.
    package let atomic: Bool?
    /// The zone of operations that name none: the request's, or else the default zone.
    package let zone: ZoneIdentifier
    package let desiredKeys: Set<String>?
    package let numbersAsStrings: Bool
    /// Whether values that are sealed for users stay sealed, so that the answer leaves them out.
    package let keepsSealed: Bool
    /// Whether the answer includes the invitations of shares: it does if the request asks for them,
    /// or changes some.
    package let hasInvitations: Bool

    package init(_ value: JSONValue, _ context: WireContext) throws(RecordError) {
        zone = try WireZone.readMember(of: value, context)
        atomic = try value.flag("atomic")
        desiredKeys = try value.names("desiredKeys")
        numbersAsStrings = try value.flag("numbersAsStrings") ?? false
        keepsSealed = try value.flag("keepSealed") ?? false
        var operations: [RecordOperation] = []
        for operation in try value.requiredList("operations", limit: context.limits.itemLimit) {
            operations.append(
                try RecordOperation(
                    operation, in: zone, numbersAsStrings: numbersAsStrings, context))
        }
        self.operations = operations
        let changesInvitations = operations.contains { $0.share?.invitations != nil }
        hasInvitations = try value.asksForInvitations() || changesInvitations
    }
}
