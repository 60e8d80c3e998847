import Bulla
import BullaRecords
import BullaTestSupport
import Testing

/// The rows of an embedded backend, which anybody with the store's key can change.
struct RecordRows {
    let store: Store
    private let backend: EmbeddedBackend

    init(_ store: Store) { (self.store, backend) = (store, EmbeddedBackend(store)) }

    func head(_ zone: String, _ database: Database) throws -> StoredZone {
        try #require(try backend.zone(named: zone, in: database))
    }

    func sealed(_ name: String, _ zone: String, _ database: Database) throws -> [UInt8] {
        let life = ZoneLife(try head(zone, database))
        return try #require(try backend.records([name], in: life)[0]?.bytes)
    }

    /// Replaces the bytes of a sealed record, and nothing else in its row.
    func put(
        sealed bytes: [UInt8], _ name: String, _ zone: String, _ database: Database
    ) throws {
        let key = try head(zone, database).incarnation.bytes + Array(name.utf8)
        try change("records") { rows in
            guard let row = rows[key] else { return }
            // Version, kind and tag; then the type and the record, each with its length in front.
            let start = 21 + 4 + Int(row.load(UInt32.self, at: 21))
            let end = start + 4 + Int(row.load(UInt32.self, at: start))
            var counted: [UInt8] = []
            counted.append(little: UInt32(bytes.count))
            rows[key] = Array(row[..<start]) + counted + bytes + Array(row[end...])
        }
    }

    /// Puts a head in the place of the one with the same name.
    func put(_ head: StoredZone) throws {
        let name = Array(head.name.utf8)
        let suffix = (head.database.owner?.identifier.bytes ?? []) + name
        try change("zones") { rows in
            let keys = rows.keys.filter { $0.suffix(suffix.count).elementsEqual(suffix) }
            for key in keys { rows[key] = ZoneRow.bytes(head) }
        }
    }

    /// Changes all rows of a tree.
    func change(_ tree: String, _ body: (inout [[UInt8]: [UInt8]]) throws -> Void) throws {
        try store.write { change in
            let tree = try change.tree(named: tree)
            let former = Dictionary(uniqueKeysWithValues: try change.entries(of: tree))
            var rows = former
            try body(&rows)
            for (key, row) in rows where former[key] != row {
                try change.put(row, forKey: key, in: tree)
            }
            for key in former.keys where rows[key] == nil { try change.delete(key, in: tree) }
        }
    }
}

/// The parts of a sealed record that has encrypted fields.
struct SealedParts {
    var head: [UInt8]
    var wrap: [UInt8]
    /// The length of the plain values, and then the values.
    var plain: [UInt8]
    var fields: [Field] = []
    var seal: [UInt8]

    struct Field {
        var name: String
        var kind: UInt8
        var blob: [UInt8]
    }

    /// - Parameter bytes: those of a record without a parent and without a share.
    init(_ bytes: [UInt8]) throws {
        let record = try #require(SealedRecord(bytes))
        for (name, _) in record.encryptedFields {
            let range = try #require(record.blobRange(of: name))
            fields.append(
                Field(name: name, kind: bytes[range.lowerBound - 5], blob: Array(bytes[range])))
        }
        // Version, flags, life, epoch, tag, former tag, schema; then the type, and two stamps.
        var start = 34 + (bytes[1] & 4 == 0 ? 0 : 12) + 8
        start = Self.end(ofCountedAt: start, bytes)
        for _ in 0..<2 {
            start = Self.end(ofCountedAt: start + 9 + (bytes[start + 8] == 0 ? 0 : 16), bytes)
        }
        let plainEnd = Self.end(ofCountedAt: start + 72, bytes)
        head = Array(bytes[..<start])
        wrap = Array(bytes[start..<start + 72])
        plain = Array(bytes[start + 72..<plainEnd])
        seal = Array(bytes.suffix(28))
        try #require(self.bytes == bytes)
    }

    private static func end(ofCountedAt start: Int, _ bytes: [UInt8]) -> Int {
        start + 4 + Int(bytes.load(UInt32.self, at: start))
    }

    var bytes: [UInt8] {
        var bytes = head + wrap + plain
        bytes.append(little: UInt16(fields.count))
        for field in fields {
            bytes.append(little: UInt32(field.name.utf8.count))
            bytes += Array(field.name.utf8) + [field.kind]
            bytes.append(little: UInt32(field.blob.count))
            bytes += field.blob
        }
        return bytes + seal
    }
}
