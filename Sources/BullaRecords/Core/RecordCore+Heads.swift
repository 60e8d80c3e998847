/// Reads heads of zones, and checks that the backend answers with the zones that were asked for.
extension RecordCore {
    /// The head of the zone with this name; `nil` if there is none.
    ///
    /// - Throws: `damaged` if the backend returns another zone.
    func head(named name: String, in database: Database) throws(RecordError) -> StoredZone? {
        guard let head = try backend.zone(named: name, in: database) else { return nil }
        guard head.name == name, head.database == database else {
            throw RecordError(.damaged, "use zone \(name): another zone is stored in its place")
        }
        return head
    }

    /// The heads of all zones of a database.
    ///
    /// - Throws: `damaged` if the backend returns another database's zones, or the same zone twice.
    func heads(in database: Database) throws(RecordError) -> [StoredZone] {
        let heads = try backend.zones(in: database)
        guard heads.allSatisfy({ $0.database == database }),
            Set(heads.map(\.name)).count == heads.count
        else {
            throw RecordError(.damaged, "list zones: the list is not the one of this database")
        }
        return heads
    }
}
