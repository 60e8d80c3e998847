/// The schemas of places: they change at the first site, and the other sites have copies.
extension SiteDirectory {
    /// The present schema of a place; `nil` if there is none.
    func schema(
        of place: Place, isPatient: Bool = true
    ) throws(RecordError) -> StoredDocument? {
        try call(first, isPatient: isPatient) { site throws(RecordError) in
            try site.document(PlaceDocument.schema, of: place)
        }
    }

    /// Copies the schema of a place to the sites that answer; the others get it before their next
    /// commit.
    func offerSchema(of place: Place) {
        guard let schema = try? schema(of: place, isPatient: false) else { return }
        for name in names where name != first && !memory.isSilent(name) {
            // A site that fails gets the schema later.
            try? call(name, isPatient: false) { site throws(RecordError) in
                try site.moves.take(schema, named: PlaceDocument.schema, of: place, for: nil)
            }
        }
    }

    /// Copies the schema of a place to all sites.
    func bringSchema(of place: Place) throws(RecordError) {
        guard let schema = try schema(of: place) else { return }
        for name in names where name != first {
            try call(name) { site throws(RecordError) in
                try site.moves.take(schema, named: PlaceDocument.schema, of: place, for: nil)
            }
        }
    }

    /// Copies a site's schema to the first site if it is newer than the one there, which means that
    /// the first site was restored.
    ///
    /// - Throws: `damaged` if the container's keys do not vouch for the schema, or if the two
    ///   schemas differ although they have the same version.
    func bringBackSchema(
        of place: Place, from name: String, isPatient: Bool
    ) throws(RecordError) {
        // Read the site's schema first: unless the first site was restored, the schema that is then
        // read from the first site is at least as new.
        let copy = try call(name, isPatient: isPatient) { site throws(RecordError) in
            try site.document(PlaceDocument.schema, of: place)
        }
        guard let copy else { return }
        let present = try schema(of: place, isPatient: isPatient)
        guard copy != present, copy.version >= present?.version ?? 0 else { return }
        guard copy.version > present?.version ?? 0 else {
            throw RecordError(
                .damaged,
                "use database \(name): its schema differs from the one of the same version in "
                    + "\(first), which was restored; import the schema again")
        }
        let voucher = try map.keys(of: place).schemaVoucher(copy.version)
        guard try voucher.body(of: copy.bytes) != nil else {
            throw RecordError(
                .damaged, "use database \(name): the container's keys do not vouch for its schema")
        }
        try call(first, isPatient: isPatient) { site throws(RecordError) in
            try site.moves.take(copy, named: PlaceDocument.schema, of: place, for: nil)
        }
    }
}
