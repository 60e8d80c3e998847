internal import BullaMemory

/// A zone's head as a row: 16 bytes of incarnation, 8 of version, 4 of epoch, and 8 of byte count;
/// then the zone's keys and the seal, each after its own byte count.
package enum ZoneRow {
    package static func bytes(_ zone: StoredZone) -> [UInt8] {
        var bytes = zone.incarnation.bytes
        bytes.append(number: zone.version)
        bytes.append(number: zone.epoch)
        bytes.append(number: zone.byteCount)
        bytes.append(counted: zone.keys)
        bytes.append(counted: zone.seal)
        return bytes
    }

    package static func zone(
        _ bytes: [UInt8], _ name: String, _ database: Database
    ) throws(RecordError) -> StoredZone {
        let zone = bytes.withView { view -> StoredZone? in
            var cursor = ByteCursor(view)
            guard let incarnation = cursor.nextIdentifier(),
                let version = cursor.next(UInt64.self), let epoch = cursor.next(UInt32.self),
                let byteCount = cursor.next(UInt64.self), let keys = cursor.nextCounted(),
                let seal = cursor.nextCounted(), cursor.isAtEnd
            else { return nil }
            var zone = StoredZone(
                database, name: name, incarnation: incarnation, version: version, epoch: epoch,
                keys: keys.copied())
            (zone.byteCount, zone.seal) = (byteCount, seal.copied())
            return zone
        }
        guard let zone else {
            throw RecordError(.damaged, "read zone \(name): its head is malformed")
        }
        return zone
    }
}

/// A document as a row: 8 bytes of version; then the document, after its byte count.
package enum DocumentRow {
    package static func bytes(_ document: StoredDocument) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(number: document.version)
        bytes.append(counted: document.bytes)
        return bytes
    }

    package static func document(_ bytes: [UInt8], _ name: String) throws(RecordError)
        -> StoredDocument
    {
        let document = bytes.withView { view -> StoredDocument? in
            var cursor = ByteCursor(view)
            guard let version = cursor.next(UInt64.self), let bytes = cursor.nextCounted(),
                cursor.isAtEnd
            else { return nil }
            return StoredDocument(version: version, bytes.copied())
        }
        guard let document else {
            throw RecordError(.damaged, "read \(name): its row is malformed")
        }
        return document
    }
}

/// A record as a row: 8 bytes of version; then either 0, the type, and the time of deletion; or 1,
/// tag, type, sealed bytes, places in indexes, references, assets, the total bytes of the assets,
/// and the digest.
package struct RecordRow {
    package var version: UInt64
    package var state: State

    package enum State {
        case entry(RecordEntry)
        case deleted(type: String, time: Int64)
    }

    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(number: version)
        switch state {
        case .deleted(let type, let time):
            bytes.append(0)
            bytes.append(text: type)
            bytes.append(number: time)
        case .entry(let entry):
            bytes.append(1)
            bytes += entry.tag.bytes
            bytes.append(text: entry.type)
            bytes.append(counted: entry.bytes)
            bytes.append(number: UInt32(entry.indexes.count))
            for place in entry.indexes { bytes.append(counted: place) }
            bytes.append(number: UInt32(entry.references.count))
            for edge in entry.references {
                bytes.append(edge.action.rawValue)
                bytes.append(text: edge.target)
            }
            bytes.append(number: UInt32(entry.assets.count))
            for asset in entry.assets { bytes += asset.bytes }
            bytes.append(number: entry.assetByteCount)
            bytes.append(counted: entry.digest)
        }
        return bytes
    }

    package init(version: UInt64, _ state: State) {
        (self.version, self.state) = (version, state)
    }

    package init(_ bytes: [UInt8], _ name: String) throws(RecordError) {
        guard let row = bytes.withView({ Self.row($0) }) else {
            throw RecordError(.damaged, "read record \(name): its row is malformed")
        }
        self = row
    }

    private static func row(_ view: ByteView) -> RecordRow? {
        var cursor = ByteCursor(view)
        guard let version = cursor.next(UInt64.self), let kind = cursor.next(UInt8.self) else {
            return nil
        }
        let state = kind == 0 ? deletion(&cursor) : kind == 1 ? entry(&cursor) : nil
        guard let state, cursor.isAtEnd else { return nil }
        return RecordRow(version: version, state)
    }

    private static func deletion(_ cursor: inout ByteCursor) -> State? {
        guard let type = cursor.nextText(), let time = cursor.next(Int64.self) else { return nil }
        return .deleted(type: type, time: time)
    }

    private static func entry(_ cursor: inout ByteCursor) -> State? {
        guard let tag = cursor.nextView(ChangeTag.byteCount),
            let tag = ChangeTag(bytes: tag.copied()), let type = cursor.nextText(),
            let bytes = cursor.nextCounted(), let indexCount = cursor.next(UInt32.self)
        else { return nil }
        var entry = RecordEntry(bytes.copied(), type: type, tag: tag)
        for _ in 0..<indexCount {
            guard let place = cursor.nextCounted() else { return nil }
            entry.indexes.insert(place.copied())
        }
        guard let referenceCount = cursor.next(UInt32.self) else { return nil }
        for _ in 0..<referenceCount {
            guard let action = cursor.next(UInt8.self),
                let action = RecordReference.Action(rawValue: action),
                let target = cursor.nextText()
            else { return nil }
            entry.references.insert(ReferenceEdge(target: target, action))
        }
        guard let assetCount = cursor.next(UInt32.self) else { return nil }
        for _ in 0..<assetCount {
            guard let asset = cursor.nextIdentifier() else { return nil }
            entry.assets.insert(asset)
        }
        guard let assetByteCount = cursor.next(UInt64.self), let digest = cursor.nextCounted()
        else { return nil }
        (entry.assetByteCount, entry.digest) = (assetByteCount, digest.copied())
        return .entry(entry)
    }

    /// The row in the form that the backend returns.
    var stored: StoredRecord {
        switch state {
        case .entry(let entry): StoredRecord(version: version, .record(entry.bytes))
        case .deleted(let type, let time):
            StoredRecord(version: version, .deleted(type: type, time: time))
        }
    }

    package var entry: RecordEntry? { if case .entry(let entry) = state { entry } else { nil } }

    /// The parts of the record that the zone's seal covers; `nil` if the record was deleted.
    var former: FormerRecord? {
        entry.map { FormerRecord($0.tag, version: version, digest: $0.digest) }
    }
}
