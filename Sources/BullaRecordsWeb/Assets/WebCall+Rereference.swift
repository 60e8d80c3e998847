import BullaRecords

extension WebCall {
    /// Gives receipts for files that records hold already, so that other fields can hold them, too.
    ///
    /// No byte of a file is read or copied: whoever reads a record has the key of its files, and a
    /// save seals that key again, in the record that it changes. The store counts the records that
    /// hold a file, and frees it with the last of them.
    func rereferenceAssets(_ value: JSONValue) throws(RecordError) -> [UInt8] {
        let request = try RereferenceRequest(value, context)
        let names = Array(Set(request.items.map(\.recordName)))
        let found = try zones(like: request.zone).records(names, in: request.zone.name)
        let records = Dictionary(uniqueKeysWithValues: zip(names, found))
        return RereferenceAnswer(
            request.items.map { item in
                do throws(RecordError) {
                    guard let record = try records[item.recordName]?.get() else {
                        throw Self.refused(item, "there is no such record")
                    }
                    return .asset(try rereference(item, of: record))
                } catch { return .failed(recordName: item.recordName, WebError(error)) }
            }
        ).bytes()
    }

    private func rereference(
        _ item: RereferenceRequest.Item, of record: Record
    ) throws(RecordError) -> WireAsset {
        let asset = try asset(item, of: record)
        let field = UploadRequest.Item(
            recordName: item.destination.recordName,
            recordType: item.destination.recordType ?? record.type,
            fieldName: item.destination.fieldName ?? item.fieldName)
        try check(field)
        let place = AssetPlace(
            field.fieldName, of: field.recordType, named: field.recordName,
            in: record.identifier.zone)
        let receipt = UploadReceipt(UploadGrant(caller.account, place), asset)
        return WireAsset(
            asset,
            receipt: try tickets.text(.receipt, receipt.bytes, lifetime: limits.receiptLifetime))
    }

    /// The file that an item names.
    private func asset(
        _ item: RereferenceRequest.Item, of record: Record
    ) throws(RecordError) -> AssetDescriptor {
        guard record.fields.contains(where: { $0.name == item.fieldName && !$0.isEncrypted }) else {
            let isThere = record.fields.contains { $0.name == item.fieldName }
            throw Self.refused(
                item, isThere ? "encrypted fields hold no assets" : "the record has no such field")
        }
        var held: [AssetDescriptor] = []
        for case .asset(let asset) in try record.value(of: item.fieldName)?.elements ?? [] {
            held.append(asset)
        }
        guard !held.isEmpty else { throw Self.refused(item, "the field holds no asset") }
        if let checksum = item.fileChecksum {
            guard let asset = held.first(where: { $0.checksum == checksum }) else {
                throw Self.refused(item, "the field does not hold the asset with this checksum")
            }
            return asset
        }
        guard held.count == 1 else {
            throw Self.refused(
                item, "the field holds \(held.count) assets: name one by its fileChecksum")
        }
        return held[0]
    }

    private static func refused(_ item: RereferenceRequest.Item, _ reason: String) -> RecordError {
        RecordError(
            .invalidArguments,
            "refer to the asset of field '\(item.fieldName.told)' of record "
                + "'\(item.recordName.told)': \(reason)")
    }
}
