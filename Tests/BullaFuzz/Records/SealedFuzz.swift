internal import Bulla
internal import BullaMemory
internal import BullaRecords

/// Reads an input as what a store keeps: sealed records, keyrings of zones, rows, values.
enum SealedFuzz {
    private static let forge = RecordForge.shared

    /// The first byte says what to read, and whether the input is whole or an edit of a real one.
    static func run(_ input: FuzzInput) {
        var input = input
        let choice = Int(input.byte())
        let isChange = choice & 0x80 != 0
        switch choice & 0x7F {
        case 0: read(record: bytes(&input, isChange ? forge.records[0] : nil))
        case 1: read(record: bytes(&input, isChange ? forge.records[1] : nil))
        case 2: read(keyring: bytes(&input, isChange ? forge.keyring : nil))
        case 3: read(row: bytes(&input, isChange ? row : nil))
        case 4: readHeads(input.rest)
        default: read(value: input.rest)
        }
    }

    private static func bytes(_ input: inout FuzzInput, _ real: [UInt8]?) -> [UInt8] {
        guard var bytes = real else { return input.rest }
        input.edit(&bytes)
        return bytes
    }

    private static func read(record bytes: [UInt8]) {
        guard let record = SealedRecord(bytes) else { return }
        for (name, _) in record.encryptedFields {
            precondition(record.blobRange(of: name) != nil, "a field lies somewhere")
        }
        let isReal = forge.records.contains(bytes)
        do throws(RecordError) {
            let opened = try forge.sealer.open(record, name: RecordForge.name)
            precondition(isReal, "a record that was not sealed is refused")
            for (name, _) in record.encryptedFields { _ = try opened.encryptedValue(name) }
        } catch {
            precondition(!isReal && error.code == .damaged, "a changed record is damage")
        }
    }

    private static func read(keyring bytes: [UInt8]) {
        let isReal = bytes == forge.keyring
        do throws(RecordError) {
            let keyring = try ZoneKeyring(
                bytes, RecordForge.zone, RecordForge.life, forge.container)
            precondition(isReal && keyring.wraps.count == 2, "a keyring of others is refused")
        } catch {
            precondition(!isReal && error.code == .damaged, "a changed keyring is damage")
        }
    }

    private static func read(row bytes: [UInt8]) {
        guard let row = try? RecordRow(bytes, "r") else { return }
        guard let again = try? RecordRow(row.bytes, "r") else {
            preconditionFailure("a row is one")
        }
        precondition(row.version == again.version && row.entry == again.entry, "as it was")
    }

    private static func readHeads(_ bytes: [UInt8]) {
        if let zone = try? ZoneRow.zone(bytes, "z", RecordForge.database) {
            precondition(ZoneRow.bytes(zone) == bytes, "a zone's row says it all")
        }
        if let document = try? DocumentRow.document(bytes, "d") {
            precondition(DocumentRow.bytes(document) == bytes, "a document's row says it all")
        }
    }

    private static func read(value bytes: [UInt8]) {
        guard let value = bytes.withView({ ValueCoding.value($0) }) else { return }
        let written = ValueCoding.bytes(value)
        guard let again = written.withView({ ValueCoding.value($0) }) else {
            preconditionFailure("what is written is a value")
        }
        precondition(ValueCoding.bytes(again) == written, "what is written is read as it was")
    }

    /// A record's row with one of everything.
    private static let row: [UInt8] = {
        let tag = ChangeTag(bytes: [UInt8](repeating: 7, count: ChangeTag.byteCount))
        guard let tag else { preconditionFailure("a tag has so many bytes") }
        let entry = RecordEntry(
            [1, 2, 3], type: "Note", tag: tag, indexes: [[1], [2, 3]],
            references: [ReferenceEdge(target: "a", .none)], assets: [RecordForge.identifier(6)])
        return RecordRow(version: 4, .entry(entry)).bytes
    }()

    static var seeds: [[UInt8]] {
        let zone = StoredZone(
            RecordForge.database, name: "z", incarnation: RecordForge.life, version: 3, epoch: 1,
            keys: [1, 2])
        let deletion = RecordRow(version: 5, .deleted(type: "Note", time: 6)).bytes
        let whole = [
            [0] + forge.records[0], [1] + forge.records[1], [2] + forge.keyring, [3] + row,
            [3] + deletion, [4] + ZoneRow.bytes(zone),
            [4] + DocumentRow.bytes(StoredDocument(version: 1, [1, 2])),
        ]
        let changes: [[UInt8]] = [0x80, 0x81, 0x82, 0x83].flatMap { [[$0], [$0, 40, 0, 1, 9, 9]] }
        return whole + changes + RecordForge.values.map { [5] + ValueCoding.bytes($0) }
    }
}
