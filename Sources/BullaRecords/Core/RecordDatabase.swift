/// A database with its zones, as its user sees it; it is in a store of this process, or at a
/// service.
///
/// The database types that programs use are written against this protocol. ``DatabaseView`` says
/// what the protocol's calls do and throw; all of them block.
package protocol RecordDatabase: Sendable {
    var scope: DatabaseScope { get }
    /// The user; `nil` if nobody is signed in.
    var viewer: AccountIdentifier? { get }
    var limits: RecordLimits { get }

    /// The same database, as a view of an owner's zones.
    func zones(of owner: AccountIdentifier?) throws(RecordError) -> Self
    func zones() throws(RecordError) -> [ZoneIdentifier]
    /// Throws the error, if any, that a use of the zone would throw.
    func checkZone(_ name: String) throws(RecordError)
    func createZone(_ name: String) throws(RecordError)
    func deleteZone(_ name: String) throws(RecordError)
    /// Verifies a zone, and returns the number of its records.
    func verifyZone(_ name: String) throws(RecordError) -> Int

    /// Reads records.
    ///
    /// - Parameter fields: the fields that the caller needs, here and in the calls below; `nil` for
    ///   all. The results may have more fields.
    func records(
        _ names: [String], in zone: String, fields: Set<String>?
    ) throws(RecordError) -> [Result<Record, RecordError>]
    func modify(
        _ changes: [RecordChange], in zone: String, atomically: Bool
    ) throws(RecordError) -> [ChangeResult]
    func changes(
        in zone: String, since token: [UInt8]?, limit: Int?, fields: Set<String>?,
        hasRecords: Bool
    ) throws(RecordError) -> ZoneChanges
    func databaseChanges(since token: [UInt8]?, limit: Int?) throws(RecordError) -> DatabaseChanges
    func query(
        _ query: RecordQuery, in zone: String, after mark: [UInt8]?, limit: Int?,
        fields: Set<String>?
    ) throws(RecordError) -> QueryPage

    /// The source of the assets of a record that was read from this database.
    func assets(of record: Record) -> any AssetSource
    /// Whether a record of the view's owner can hold an asset from this source without a new
    /// upload.
    func has(assetsOf source: any AssetSource) -> Bool
    /// Whether an upload's result can go only into the field that was named when the upload began.
    var hasUploadsByField: Bool { get }
    func beginUpload(for field: AssetField) throws(RecordError) -> any AssetSink

    /// The shares of the database's user; all databases of the user have the same ones.
    var sharing: any RecordSharing { get }
}

/// Finds the shares in which a user can take part, and the accounts with which the user can share.
package protocol RecordSharing: Sendable {
    /// Checks that an account can be added to shares.
    ///
    /// - Throws: `participantUnknown` if it has no keys here; `damaged`.
    func check(_ account: AccountIdentifier) throws(RecordError)
    /// The share that a token identifies; see ``ShareInvitations/invitation(_:_:hasRoot:)``.
    func share(_ token: String) throws(RecordError) -> ShareInvitation
    /// Accepts a share; see ``ShareInvitations/accept(_:_:hasRoot:)``.
    func accept(_ token: String) throws(RecordError) -> ShareInvitation
}

extension RecordDatabase {
    /// The account whose zones are meant if no owner is given; `nil` in the public database.
    package var home: AccountIdentifier? { scope == .public ? nil : viewer }

    package var hasUploadsByField: Bool { false }
}

/// Provides the bytes of assets.
package protocol AssetSource: AnyObject, Sendable {
    /// Passes the bytes of an asset to `body`, in order.
    ///
    /// - Throws: what `body` throws; ``RecordError``: `assetNotFound`, `damaged`.
    func read(_ asset: AssetDescriptor, _ body: (ArraySlice<UInt8>) throws -> Void) throws
}

/// Takes the bytes of an asset.
package protocol AssetSink {
    func append(_ bytes: ArraySlice<UInt8>) throws(RecordError)
    func finish() throws(RecordError) -> AssetDescriptor
}

/// The field that an asset is for.
package struct AssetField: Hashable, Sendable {
    package let zone: ZoneIdentifier
    package let recordName: String
    package let recordType: String
    package let name: String

    package init(
        _ name: String, of recordType: String, named recordName: String, in zone: ZoneIdentifier
    ) {
        (self.name, self.recordType) = (name, recordType)
        (self.recordName, self.zone) = (recordName, zone)
    }
}
