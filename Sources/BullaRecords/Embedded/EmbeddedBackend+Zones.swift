internal import Bulla

extension EmbeddedBackend {
    package func zones(in database: Database) throws(RecordError) -> [StoredZone] {
        try read("list zones") { snapshot in
            try snapshot.checkHome(of: database, claim)
            let prefix = EmbeddedKey.database(database)
            var zones: [StoredZone] = []
            try snapshot.visit(.zones, .prefix(prefix)) { key, value in
                let name = try EmbeddedKey.name(key.dropFirst(prefix.count))
                zones.append(try ZoneRow.zone(value, name, database))
                return .next
            }
            return zones
        }
    }

    package func zones(of place: Place) throws(RecordError) -> [StoredZone] {
        try read("list zones") { snapshot in
            var zones: [StoredZone] = []
            let homes = try snapshot.homes(of: place)
            try snapshot.visit(.zones, .prefix(EmbeddedKey.place(place))) { key, value in
                let (database, name) = try EmbeddedKey.zone(key, of: place)
                // A malformed row does not say that the database is elsewhere, so list the
                // database's zones.
                if homes[database]??.isHome ?? true {
                    zones.append(try ZoneRow.zone(value, name, database))
                }
                return .next
            }
            return zones
        }
    }

    package func zone(
        named name: String, in database: Database
    ) throws(RecordError) -> StoredZone? {
        try read("read zone \(name)") { snapshot in
            try snapshot.checkHome(of: database, claim)
            return try snapshot.zone(name, database)
        }
    }

    package func create(_ zone: StoredZone) throws(RecordError) -> Bool {
        try write("make zone \(zone.name)") { change in
            try change.checkHome(of: zone.database, claim, isChange: true)
            guard try change.zone(zone.name, zone.database) == nil else { return false }
            try change.begin(zone)
            return true
        }
    }

    package func rekey(
        _ zone: StoredZone, from formerKeys: [UInt8], formerEpoch: UInt32,
        sealing: HeadSealing
    ) throws(RecordError) -> Bool {
        try write("change the keys of zone \(zone.name)") { change in
            try change.checkHome(of: zone.database, claim, isChange: true)
            guard let former = try change.head(of: ZoneLife(zone)), former.epoch == formerEpoch,
                former.keys == formerKeys
            else { return false }
            var head = former
            (head.epoch, head.keys) = (zone.epoch, zone.keys)
            try head.count(1)
            head.seal = try sealing(former, head, [])
            try change.put(head)
            return true
        }
    }

    package func delete(_ zone: ZoneLife) throws(RecordError) -> Bool {
        try write("delete zone \(zone.name)") { change in
            try change.checkHome(of: zone.database, claim, isChange: true)
            guard try change.head(of: zone) != nil else { return false }
            try change.dropAssets(of: zone)
            let life = zone.incarnation.bytes
            for tree in TreeName.ofLives { try change.deleteAll(beginningWith: life, in: tree) }
            try change.delete(EmbeddedKey.zone(zone.name, zone.database), in: .zones)
            return true
        }
    }

    package func document(
        _ name: String, of place: Place, for account: AccountIdentifier?
    ) throws(RecordError) -> StoredDocument? {
        try read("read \(name) of \(place.container)") { snapshot in
            try snapshot.checkHome(of: place, account, claim)
            return try snapshot.document(name, place)
        }
    }

    package func replace(
        _ name: String, of place: Place, for account: AccountIdentifier?, version: UInt64,
        with bytes: [UInt8]
    ) throws(RecordError) -> Bool {
        try write("replace \(name) of \(place.container)") { change in
            try change.checkHome(of: place, account, claim, isChange: true)
            guard try (change.document(name, place)?.version ?? 0) == version else { return false }
            guard version < .max else {
                throw RecordError(.damaged, "replace \(name): its version is too great")
            }
            let document = StoredDocument(version: version + 1, bytes)
            let key = EmbeddedKey.document(name, place)
            try change.put(DocumentRow.bytes(document), key, in: .documents)
            return true
        }
    }
}

extension TreeReader where Self: ~Copyable {
    func zone(_ name: String, _ database: Database) throws -> StoredZone? {
        guard let row = try value(EmbeddedKey.zone(name, database), in: .zones) else { return nil }
        return try ZoneRow.zone(row, name, database)
    }

    /// The head of a life of a zone; `nil` once that life has ended.
    func head(of zone: ZoneLife) throws -> StoredZone? {
        guard let head = try self.zone(zone.name, zone.database) else { return nil }
        return head.incarnation == zone.incarnation ? head : nil
    }

    func document(_ name: String, _ place: Place) throws -> StoredDocument? {
        try value(EmbeddedKey.document(name, place), in: .documents).map {
            try DocumentRow.document($0, name)
        }
    }
}

extension WriteTransaction {
    /// Begins a life of a zone.
    ///
    /// - Throws: `damaged` if something is already stored under that life, because it would become
    ///   part of this zone.
    mutating func begin(_ zone: StoredZone) throws {
        let life = zone.incarnation.bytes
        for tree in EmbeddedBackend.TreeName.ofLives {
            try visit(tree, .prefix(life)) { _, _ in
                throw RecordError(.damaged, "make zone \(zone.name): another one has its life")
            }
        }
        try putForgotten(0, ZoneLife(zone))
        try put(zone)
    }

    /// Stores the version up to which deletions are forgotten.
    ///
    /// Every life has this row; 0 means that no deletion is forgotten.
    mutating func putForgotten(_ version: UInt64, _ zone: ZoneLife) throws(BullaError) {
        var row: [UInt8] = []
        row.append(sorted: version)
        try put(row, zone.incarnation.bytes, in: .forgotten)
    }

    mutating func put(_ head: StoredZone) throws(BullaError) {
        try put(ZoneRow.bytes(head), EmbeddedKey.zone(head.name, head.database), in: .zones)
    }
}
