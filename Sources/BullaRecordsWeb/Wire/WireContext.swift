package import BullaRecords

/// What a request means by what it leaves out, and what only the service knows.
package struct WireContext: Sendable {
    /// What a type's field is defined to be; `nil` where the schema has no such field.
    package typealias Definition =
        @Sendable (_ recordType: String, _ field: String) -> FieldShape?
    /// The type of a record that is there, for requests that do not say it; `nil` where there is
    /// none, or it cannot be read.
    package typealias TypeFinder = @Sendable (RecordIdentifier) -> String?
    /// Finds the upload that an asset's dictionary is the answer of, or the asset that was there.
    package typealias AssetFinder =
        @Sendable (WireAsset, AssetPlace) throws(RecordError) -> AssetDescriptor

    package let scope: DatabaseScope
    /// Who asks, and whose the zones are that name no owner.
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

    /// Who owns a zone that names no owner: nobody in the public database.
    var defaultOwner: AccountIdentifier? { scope == .public ? nil : account }
}

/// How many there may be in one request.
package struct WireLimits: Hashable, Sendable {
    /// Operations on records or zones, and records or zones to look up.
    package var itemLimit: Int
    /// Records of an answer, whatever the request asks for.
    package var resultLimit: Int

    package init(itemLimit: Int = 200, resultLimit: Int = 200) {
        self.itemLimit = itemLimit
        self.resultLimit = resultLimit
    }
}
