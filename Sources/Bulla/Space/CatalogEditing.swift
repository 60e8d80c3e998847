internal import BullaMemory

/// The catalog of a change in progress, record by record.
///
/// The catalog is a tree of the same change, so changing a record can itself take and free pages.
protocol CatalogEditing {
    func catalogValue(_ key: [UInt8]) throws(BullaError) -> [UInt8]?
    func putCatalog(_ key: [UInt8], _ value: [UInt8]) throws(BullaError)
    /// - Returns: whether the key was there.
    func deleteCatalog(_ key: [UInt8]) throws(BullaError) -> Bool
    /// Visits records; `body` must not change any.
    func scanCatalog(
        _ range: KeyRange, _ body: (ByteView, ByteView) throws(BullaError) -> ScanStep
    ) throws(BullaError)
    /// An error that names what is wrong with the catalog.
    func catalogDefect(_ what: String) -> BullaError
}
