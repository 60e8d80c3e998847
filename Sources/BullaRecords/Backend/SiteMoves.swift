/// What a site offers to a mover of databases.
///
/// All calls are made under the site's claim, except those that read or replace rows of homes. The
/// site does not check the vouchers of these rows: ``SiteDirectory`` does.
///
/// Every method throws ``RecordError`` as those of ``RecordBackend`` do: `unavailable`, with
/// ``RecordError/hasMoved`` if the claim does not hold, and without it if the site cannot be
/// reached or is busy; `damaged` if a row is malformed; `internalError`. A call that throws
/// `unavailable` without `hasMoved` may have been carried out all the same; every call can be
/// repeated.
package protocol SiteMoves: Sendable {
    /// The row of a database's home; `nil` if the site has none.
    func home(of database: Database) throws(RecordError) -> HomeRow?
    /// The rows of all databases of a place; `nil` for a row that is malformed.
    func homes(of place: Place) throws(RecordError) -> [Database: HomeRow?]
    /// Replaces a row; returns `false` if it is no longer `former`.
    ///
    /// The call waits for changes of the database that are in progress; later ones see the new row.
    /// A caller that repeats the call after a failure reads the row first: `false` can mean that
    /// the row is `next` already.
    func replaceHome(
        of database: Database, _ former: HomeRow?, with next: HomeRow
    ) throws(RecordError) -> Bool

    /// The next part of a zone, with what other sites need to know of it.
    ///
    /// - Parameters:
    ///   - version: the number of the last change that the receiver has.
    ///   - limit: the maximum number of records that the page may have. It also has at most
    ///     ``ZonePage/batchCount`` batches.
    /// - Returns: `nil` if this life of the zone has ended.
    func page(
        of zone: ZoneLife, after version: UInt64, limit: Int
    ) throws(RecordError) -> ZonePage?
    /// Stores a page from another site; the first page of a zone also begins the zone.
    ///
    /// - Returns: `false` if the page does not start where this site's part of the zone ends; the
    ///   call then changes nothing.
    /// - Throws: `unavailable` if a record of the page holds an asset that was not uploaded for the
    ///   same database; an error other than `unavailable` if the page begins the zone, but another
    ///   zone here already has the same life.
    func take(_ page: ZonePage) throws(RecordError) -> Bool
    /// Stores a document from another site with its version, unless the document here is at least
    /// as new.
    ///
    /// - Throws: `limitExceeded` if the site does not take a document of that size.
    func take(
        _ document: StoredDocument, named name: String, of place: Place,
        for account: AccountIdentifier?
    ) throws(RecordError)
    /// How many records hold an asset; `nil` if nothing is stored of it.
    ///
    /// - Throws: `damaged` if the asset was uploaded for another database.
    func holderCount(
        of asset: RandomIdentifier, in database: Database
    ) throws(RecordError) -> UInt64?
    /// A database's assets that no record holds, each with the time at which its last chunk was
    /// put.
    func uploads(
        in database: Database
    ) throws(RecordError) -> [(asset: RandomIdentifier, time: Int64)]
    /// Frees an asset of a database, unless a record holds it.
    func free(_ asset: RandomIdentifier, in database: Database) throws(RecordError)
    /// Deletes documents of a database's owner, and the database's assets that no record holds.
    ///
    /// If it throws, it may have deleted some of them.
    func clear(_ documents: [String], of database: Database) throws(RecordError)
}

extension RecordError {
    /// The error for an asset that is looked up for one database, but was uploaded for another.
    package static let foreignAsset = RecordError(
        .damaged, "look at an asset: it was uploaded for another database")
}
