extension DatabaseView {
    /// The records with these names in a zone, in the order of the names.
    ///
    /// - Returns: for each name the record, or the error: `unknownItem`, `damaged`,
    ///   `permissionFailure`.
    /// - Throws: errors that concern all names: `zoneNotFound`, `encryptedDataReset`,
    ///   `limitExceeded`, `unavailable`.
    package func records(
        _ names: [String], in zone: String
    ) throws(RecordError) -> [Result<Record, RecordError>] {
        guard names.count <= core.limits.answerCount else {
            throw RecordError(
                .limitExceeded,
                "read \(names.count) records: one request may ask for \(core.limits.answerCount)")
        }
        let zone = try self.zone(zone)
        // Names that no record can have are left out, because a backend may hash what it looks up,
        // and hashing a `String` normalizes it first, which can take long.
        let possible = names.filter { NameRules.isRecordName($0) }
        var stored = try core.backend.records(possible, in: zone.life).makeIterator()
        let schema = try core.schemas.current().schema
        let access = try PublicAccess(self, schema)
        var results: [Result<Record, RecordError>] = []
        for name in names {
            let stored = NameRules.isRecordName(name) ? stored.next() ?? nil : nil
            results.append(
                Result { () throws(RecordError) in
                    guard let bytes = stored?.bytes else { throw Self.unknown(name) }
                    let record = try zone.record(bytes, name)
                    guard access.mayRead(record, schema) else { throw Self.unreadable(name) }
                    return record
                })
        }
        return results
    }

    static func unreadable(_ name: String) -> RecordError {
        RecordError(.permissionFailure, "read record \(name): the schema does not grant it")
    }

    static func unknown(_ name: String) -> RecordError {
        RecordError(.unknownItem, "use record \(name): there is none of that name")
    }
}
