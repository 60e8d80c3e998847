package import BullaRecords

/// The values and lookups that reading a request takes besides the request itself.
package struct WireContext: Sendable {
    /// The shape of a type's field; `nil` if the schema has no such field.
    package typealias Definition =
        @Sendable (_ recordType: String, _ field: String) -> FieldShape?
    /// The type of an existing record, for requests that do not give it; `nil` if there is none, or
    /// it cannot be read.
    package typealias TypeFinder = @Sendable (RecordIdentifier) -> String?
    /// Finds the upload to which an asset's dictionary belongs, or the asset that the field already
    /// has.
    package typealias AssetFinder =
        @Sendable (WireAsset, AssetPlace) throws(RecordError) -> AssetDescriptor

    package let scope: DatabaseScope
    /// The caller's account, which owns the zones named without an owner.
    package let account: AccountIdentifier?
    package let definition: Definition
    package let recordType: TypeFinder
    package let asset: AssetFinder
    package var limits: WireLimits

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

    /// The owner of a zone named without one: nobody in the public database.
    var defaultOwner: AccountIdentifier? { scope == .public ? nil : account }
}

/// The limits of one request.
package struct WireLimits: Hashable, Sendable {
    /// The most operations on records or zones, and the most records or zones to look up.
    package var itemLimit: Int
    /// The most records of an answer, whatever the request asks for.
    package var resultLimit: Int

    package init(itemLimit: Int = 200, resultLimit: Int = 200) {
        self.itemLimit = itemLimit
        self.resultLimit = resultLimit
    }
}
