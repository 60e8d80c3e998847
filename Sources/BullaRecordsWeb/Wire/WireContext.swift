package import BullaRecords

/// What the service needs to read a request, in addition to the request itself.
package struct WireContext: Sendable {
    /// Finds the shape of a type's field; `nil` if the schema has no such field.
    package typealias Definition =
        @Sendable (_ recordType: String, _ field: String) -> FieldShape?
    /// Finds the type of a record whose type the request does not give; `nil` if the record does
    /// not exist or cannot be read.
    package typealias TypeFinder = @Sendable (RecordIdentifier) -> String?
    /// Finds the asset to which a dictionary refers: an uploaded file, or an asset that the field
    /// already holds.
    package typealias AssetFinder =
        @Sendable (WireAsset, AssetPlace) throws(RecordError) -> AssetDescriptor

    package let scope: DatabaseScope
    /// The caller's account, which owns the zones that a request names without an owner.
    package let account: AccountIdentifier?
    package let definition: Definition
    package let recordType: TypeFinder
    package let asset: AssetFinder
    package var limits: WireLimits
    /// The service's time in milliseconds since 1970.
    package var now: Int64 = 0

    package init(
        scope: DatabaseScope, account: AccountIdentifier?, limits: WireLimits = WireLimits(),
        definition: @escaping Definition, recordType: @escaping TypeFinder = { _ in nil },
        asset: @escaping AssetFinder
    ) {
        self.scope = scope
        self.account = account
        self.limits = limits
        self.definition = definition
        self.recordType = recordType
        self.asset = asset
    }

    /// The owner of a zone that a request names without an owner; `nil` in the public database.
    var defaultOwner: AccountIdentifier? { scope == .public ? nil : account }
}

/// The limits of one request.
package struct WireLimits: Hashable, Sendable {
    /// The maximum number of operations, of records to look up, or of zones to look up.
    package var itemLimit: Int
    /// The maximum number of records in an answer, whatever the request asks for.
    package var resultLimit: Int

    package init(itemLimit: Int = 200, resultLimit: Int = 200) {
        self.itemLimit = itemLimit
        self.resultLimit = resultLimit
    }
}
