/// The operations of the web service.
package enum ServiceOperation: String, CaseIterable, Sendable {
    case queryRecords = "records/query"
    case modifyRecords = "records/modify"
    case lookUpRecords = "records/lookup"
    case recordChanges = "records/changes"
    case resolveShares = "records/resolve"
    case acceptShares = "records/accept"
    case databaseChanges = "changes/database"
    case zoneChanges = "changes/zone"
    case listZones = "zones/list"
    case lookUpZones = "zones/lookup"
    case modifyZones = "zones/modify"
    case currentUser = "users/current"
    case caller = "users/caller"
    case discoverUsers = "users/discover"
    case uploadAssets = "assets/upload"
    case rereferenceAssets = "assets/rereference"
    case createToken = "tokens/create"

    /// Whether a client can request the operation by GET, without a body.
    package var takesGET: Bool {
        switch self {
        case .listZones, .currentUser, .caller: true
        default: false
        }
    }

    /// Whether the operation changes data, or gives permission to change data.
    ///
    /// The service must refuse a replayed request for such an operation.
    package var isWrite: Bool {
        switch self {
        case .modifyRecords, .acceptShares, .modifyZones, .uploadAssets, .rereferenceAssets,
            .createToken:
            true
        default: false
        }
    }
}
