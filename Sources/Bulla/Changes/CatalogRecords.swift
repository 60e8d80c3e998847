internal import BullaMemory

/// Reads and edits the catalog of a change in progress, record by record.
struct CatalogRecords: CatalogEditing {
    let pages: ChangedPages

    private var root: TreeRoot { pages.trees[OpenTrees.catalog].root }

    func catalogValue(_ key: [UInt8]) throws(BullaError) -> [UInt8]? {
        try key.withTypedView { key throws(BullaError) in try pages.copyValue(root, key) }
    }

    func putCatalog(_ key: [UInt8], _ value: [UInt8]) throws(BullaError) {
        try key.withTypedView { key throws(BullaError) in
            try value.withTypedView { value throws(BullaError) in try put(key, value) }
        }
    }

    /// Puts a record whose key lies in the engine's memory.
    func put(_ key: ByteView, _ value: ByteView) throws(BullaError) {
        try pages.editor(of: OpenTrees.catalog)
            .putCell(key, word: UInt32(value.byteCount), payload: value)
    }

    func deleteCatalog(_ key: [UInt8]) throws(BullaError) -> Bool {
        try key.withTypedView { key throws(BullaError) in
            try pages.editor(of: OpenTrees.catalog).delete(key)
        }
    }

    func scanCatalog(
        _ range: KeyRange, _ body: (ByteView, ByteView) throws(BullaError) -> ScanStep
    ) throws(BullaError) {
        let scan = TreeScan(source: pages, root: root, range: range, order: .ascending)
        do { try scan.run { key, value in try body(key, value) } } catch {
            throw error as? BullaError ?? catalogDefect("\(error)")
        }
    }

    func catalogDefect(_ what: String) -> BullaError {
        // A changed page has no number yet, so the error names the catalog's former root.
        pages.defect(pages.baseCatalog, what)
    }
}
