package import BullaRecords

extension Record {
    /// A record from a service's answer.
    ///
    /// - Parameter assets: provides the bytes of the record's assets.
    /// - Throws: `damaged` if the record's change tag is not one that a Bulla service makes.
    package init(
        _ answered: AnsweredRecord, assets: any AssetSource
    ) throws(RecordError) {
        guard let tag = ChangeTag(text: answered.changeTag) else {
            throw RecordError(
                .damaged,
                "read record \(answered.record.name.told): its change tag is not one of this kind "
                    + "of service")
        }
        var values: [String: RecordChange.FieldChange] = [:]
        for field in answered.fields {
            guard let value = field.value else { continue }
            values[field.name] = RecordChange.FieldChange(value, isEncrypted: field.isEncrypted)
        }
        let stamps = RecordStamps(
            created: RecordStamps.Stamp(answered.created),
            modified: RecordStamps.Stamp(answered.modified))
        self.init(
            answered.record,
            ToldRecord(
                answered.type, tag, stamps,
                parent: answered.parent.map { RecordIdentifier($0, in: answered.record.zone) },
                values: values, share: answered.share?.name, sharing: answered.toldShare,
                assets: assets))
    }
}

extension RecordStamps.Stamp {
    fileprivate init(_ stamp: AnsweredRecord.Stamp) {
        self.init(
            time: stamp.timestamp,
            account: stamp.userRecordName.flatMap { AccountIdentifier(userRecordName: $0) },
            device: stamp.deviceID)
    }
}

extension AssetDescriptor {
    /// The descriptor of an asset that a service keeps.
    ///
    /// It has zeros in place of the asset's digest and key, because only the service knows these.
    ///
    /// - Throws: `damaged` if `wire` has no checksum, or one that no Bulla service makes.
    package init(kept wire: WireAsset) throws(RecordError) {
        guard let checksum = wire.fileChecksum, let asset = RandomIdentifier(checksum: checksum)
        else {
            throw RecordError(.damaged, "read an asset: it has no checksum of this kind of service")
        }
        self.init(
            asset, byteCount: UInt64(wire.size ?? 0), chunkCount: 1,
            key: [UInt8](repeating: 0, count: Self.keyByteCount),
            digest: [UInt8](repeating: 0, count: Self.digestByteCount))
    }

    /// The checksum by which clients name the asset.
    package var wireChecksum: String { checksum }
}
