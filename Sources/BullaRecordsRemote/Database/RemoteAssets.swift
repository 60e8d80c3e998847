internal import BullaRecords
internal import BullaRecordsWeb
internal import Synchronization

/// The files of the records in one answer.
///
/// The service gives an address for each file. When the address has expired, the record is read
/// again, to get a fresh address.
final class RemoteAssets: AssetSource {
    private struct Place {
        let field: AssetPlace
        var path: String?
    }

    private let database: RemoteDatabase
    private let places = Mutex<[RandomIdentifier: Place]>([:])

    init(_ database: RemoteDatabase) { self.database = database }

    /// Notes where an asset of a record is.
    func descriptor(
        _ wire: WireAsset, _ field: AssetPlace
    ) throws(RecordError) -> AssetDescriptor {
        let descriptor = try AssetDescriptor(kept: wire)
        let path = AnswerReader.downloadPath(of: wire, in: database.client.place)
        places.withLock { $0[descriptor.asset] = Place(field: field, path: path) }
        return descriptor
    }

    func read(
        _ asset: AssetDescriptor, _ body: (ArraySlice<UInt8>) throws -> Void
    ) throws {
        guard let place = places.withLock({ $0[asset.asset] }) else { throw Self.missing }
        if let path = place.path, try download(path, asset, body) { return }
        guard let fresh = try path(of: asset, place), try download(fresh, asset, body) else {
            throw Self.missing
        }
        places.withLock { $0[asset.asset]?.path = fresh }
    }

    private static let missing = RecordError(
        .assetNotFound, "read an asset: no record of the service holds it any more")

    /// Reads the file at a path; `false` if there is none, or the path has expired.
    private func download(
        _ path: String, _ asset: AssetDescriptor, _ body: (ArraySlice<UInt8>) throws -> Void
    ) throws -> Bool {
        var left = asset.byteCount
        let answer = try database.client.download(path) { part in
            guard UInt64(part.count) <= left else { throw Self.unequal }
            left -= UInt64(part.count)
            try body(part)
        }
        guard ![403, 404].contains(answer.status) else { return false }
        _ = try answer.checked()
        guard left == 0 else { throw Self.unequal }
        return true
    }

    private static let unequal = RecordError(
        .damaged, "read an asset: it has not as many bytes as the service has said")

    /// A fresh path of an asset; `nil` unless the asset is found in its record.
    private func path(of asset: AssetDescriptor, _ place: Place) throws(RecordError) -> String? {
        guard let name = place.field.recordName else { return nil }
        let zone = try database.zones(of: place.field.zone.owner)
        let found = try zone.records([name], in: place.field.zone.name, fields: [place.field.field])
        guard case .success(let record) = found[0],
            let assets = record.told?.assets as? RemoteAssets
        else { return nil }
        return assets.places.withLock { $0[asset.asset]?.path }
    }
}

/// The receipts for the files that one call has sent.
final class RemoteReceipts: Sendable {
    private let receipts = Mutex<[RandomIdentifier: WireAsset]>([:])

    func add(_ asset: WireAsset, _ descriptor: AssetDescriptor) {
        receipts.withLock { $0[descriptor.asset] = asset }
    }

    /// An asset as the service wants it: with its receipt, or as the field already holds it.
    func wire(_ asset: AssetDescriptor) -> WireAsset {
        if let sent = receipts.withLock({ $0[asset.asset] }) { return sent }
        var held = WireAsset()
        held.fileChecksum = asset.wireChecksum
        held.size = Int64(clamping: asset.byteCount)
        return held
    }
}

/// The files.
extension RemoteDatabase {
    /// A source for the assets of one answer.
    func source() -> RemoteAssets { RemoteAssets(self) }

    /// A reader of an answer that has no assets.
    func reader() -> AnswerReader { reader(source()) }

    func reader(_ assets: RemoteAssets) -> AnswerReader {
        AnswerReader(scope, viewer: viewer) { wire, field throws(RecordError) in
            try assets.descriptor(wire, field)
        }
    }

    func assets(of record: Record) -> any AssetSource { record.told?.assets ?? source() }

    /// Always `false`: a field can only take a file that was sent for it, or keep the one that it
    /// has.
    func has(assetsOf source: any AssetSource) -> Bool { false }

    var hasUploadsByField: Bool { true }

    func beginUpload(for field: AssetField) throws(RecordError) -> any AssetSink {
        let path = try AnswerReader.uploadPath(
            perform(.upload(for: field)), in: client.place)
        return RemoteAssetSink(try client.beginUpload(to: path), uploads)
    }
}

/// Sends a file, and keeps the receipt for it.
private struct RemoteAssetSink: AssetSink {
    private let upload: any RemoteUpload
    private let receipts: RemoteReceipts

    init(_ upload: any RemoteUpload, _ receipts: RemoteReceipts) {
        (self.upload, self.receipts) = (upload, receipts)
    }

    func append(_ bytes: ArraySlice<UInt8>) throws(RecordError) { try upload.append(bytes) }

    func finish() throws(RecordError) -> AssetDescriptor {
        let sent = try AnswerReader.uploaded(upload.finish().checked())
        let descriptor = try AssetDescriptor(kept: sent)
        receipts.add(sent, descriptor)
        return descriptor
    }
}
