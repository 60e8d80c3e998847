/// The rows of homes, for which the container's key vouches.
extension SiteDirectory {
    /// What a site's row says of a database's home; `nil` if the site has no such row.
    ///
    /// - Throws: `damaged` if the container's keys do not vouch for the row.
    func home(
        of database: Database, at name: String
    ) throws(RecordError) -> HomeRow? {
        try home(of: database, at: name, try site(name))
    }

    /// - Parameter site: the site named `name`, perhaps as ``SiteBackend/impatient()`` returns it.
    func home(
        of database: Database, at name: String, _ site: any SiteBackend
    ) throws(RecordError) -> HomeRow? {
        guard let row = try site.moves.home(of: database) else { return nil }
        guard let bare = try bare(row, of: database, at: name) else {
            throw RecordError(
                .damaged,
                "find a database: the container's keys do not vouch for its row at \(name)")
        }
        return bare
    }

    /// The rows of all databases of a place at a site; `nil` for a row that is malformed, or for
    /// which the container's keys do not vouch.
    func homes(of place: Place, at name: String) throws(RecordError) -> [Database: HomeRow?] {
        let found = try call(name) { site throws(RecordError) in try site.moves.homes(of: place) }
        var rows: [Database: HomeRow?] = [:]
        for (database, row) in found {
            let bare: HomeRow? =
                if let row { try self.bare(row, of: database, at: name) } else { nil }
            rows.updateValue(bare, forKey: database)
        }
        return rows
    }

    /// What the sites say of the databases of a place.
    struct Homes {
        /// The rows of each database, by the names of the sites that have a row for it.
        var rows: [Database: [String: HomeRow]] = [:]
        /// The databases for which some site has a row that is malformed, or for which nobody
        /// vouches.
        var doubtful: Set<Database> = []
    }

    /// Asks all sites for the rows of all databases of a place.
    func homes(of place: Place) throws(RecordError) -> Homes {
        var homes = Homes()
        for name in names {
            for (database, row) in try self.homes(of: place, at: name) {
                if let row {
                    homes.rows[database, default: [:]][name] = row
                } else {
                    homes.doubtful.insert(database)
                }
            }
        }
        return homes
    }

    /// Whether a site that has no row of a database has anything else of the database.
    func holdsAnything(of database: Database, at name: String) throws(RecordError) -> Bool {
        try call(name) { site throws(RecordError) -> Bool in
            let owner = database.owner
            guard try site.zones(in: database).isEmpty, try site.moves.uploads(in: database).isEmpty
            else { return true }
            for name in PlaceDocument.all(of: owner)
            where try site.document(name, of: database.place, for: owner) != nil { return true }
            return false
        }
    }

    /// Replaces a row; returns `false` if it is no longer `former`.
    func replaceHome(
        of database: Database, at name: String, _ former: HomeRow?, with next: HomeRow
    ) throws(RecordError) -> Bool {
        try replaceHome(of: database, at: name, try site(name), former, with: next)
    }

    /// - Parameter site: the site named `name`, perhaps as ``SiteBackend/impatient()`` returns it.
    func replaceHome(
        of database: Database, at name: String, _ site: any SiteBackend, _ former: HomeRow?,
        with next: HomeRow
    ) throws(RecordError) -> Bool {
        let former = try former.map { former throws(RecordError) in
            try vouched(former, of: database, at: name)
        }
        return try site.moves.replaceHome(
            of: database, former, with: vouched(next, of: database, at: name))
    }

    /// The row with its voucher, as it is stored.
    private func vouched(
        _ row: HomeRow, of database: Database, at name: String
    ) throws(RecordError) -> HomeRow {
        var row = row
        let body = row.vouchedBody
        let voucher = try map.keys(of: database.place).homeVoucher(of: database, at: name)
        row.voucher = Array(try voucher.vouched(body).dropFirst(body.count))
        return row
    }

    /// The row without its voucher; `nil` if the voucher is not valid.
    private func bare(
        _ row: HomeRow, of database: Database, at name: String
    ) throws(RecordError) -> HomeRow? {
        var bare = row
        bare.voucher = []
        return try vouched(bare, of: database, at: name) == row ? bare : nil
    }
}
