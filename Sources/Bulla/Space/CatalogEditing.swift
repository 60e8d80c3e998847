internal import BullaMemory

/// Reads and edits the catalog of a change in progress, record by record.
///
/// The catalog is one of the trees that the change edits, so changing a record can itself take and
/// free pages.
protocol CatalogEditing {
    func catalogValue(_ key: [UInt8]) throws(BullaError) -> [UInt8]?
    func putCatalog(_ key: [UInt8], _ value: [UInt8]) throws(BullaError)
    /// - Returns: whether the key was there.
    func deleteCatalog(_ key: [UInt8]) throws(BullaError) -> Bool
    /// Visits records; `body` must not change any.
    func scanCatalog(
        _ range: KeyRange, _ body: (ByteView, ByteView) throws(BullaError) -> ScanStep
    ) throws(BullaError)
    /// The error for a damaged or forged catalog; `what` says what is wrong with it.
    func catalogDefect(_ what: String) -> BullaError
}
