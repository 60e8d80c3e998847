import BullaRecords

extension WebCall {
    /// Gives receipts for files that records already hold, so that other fields can hold them, too.
    ///
    /// No byte of a file is read or copied: reading a record gives the keys of its files, and
    /// saving seals such a key again, in the record that is changed. The store counts the records
    /// that hold a file, and frees the file when no record holds it any more.
    func rereferenceAssets(_ value: JSONValue) throws(RecordError) -> [UInt8] {
        let request = try RereferenceRequest(value, context)
        // A name that no record can have is left out, and so never hashed: hashing normalizes a
        // name, which can take long.
        let names = Array(
            Set(request.items.map(\.recordName).filter { NameRules.isRecordName($0) }))
        let found = try zones(like: request.zone).records(names, in: request.zone.name)
        let records = Dictionary(uniqueKeysWithValues: zip(names, found))
        var last = HeldFiles()
        return RereferenceAnswer(
            request.items.map { item in
                do throws(RecordError) {
                    guard NameRules.isRecordName(item.recordName),
                        let record = try records[item.recordName]?.get()
                    else {
                        throw RecordError(
                            .unknownItem,
                            "refer to an asset of record \(item.recordName.told): there is none "
                                + "of that name")
                    }
                    return .asset(try rereference(item, of: record, &last))
                } catch { return .failed(recordName: item.recordName, WebError(error)) }
            }
        ).bytes()
    }

    private func rereference(
        _ item: RereferenceRequest.Item, of record: Record, _ last: inout HeldFiles
    ) throws(RecordError) -> WireAsset {
        let asset = try asset(item, of: record, &last)
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
        _ item: RereferenceRequest.Item, of record: Record, _ last: inout HeldFiles
    ) throws(RecordError) -> AssetDescriptor {
        let held = try last.files(item, of: record)
        if let checksum = item.fileChecksum {
            guard let asset = held.first(where: { $0.checksum.utf8.elementsEqual(checksum.utf8) })
            else {
                throw Self.refused(item, "the field does not hold the asset with this checksum")
            }
            return asset.file
        }
        guard held.count == 1 else {
            throw Self.refused(
                item, "the field holds \(held.count) assets: name one by its fileChecksum")
        }
        return held[0].file
    }

    fileprivate static func refused(
        _ item: RereferenceRequest.Item, _ reason: String
    ) -> RecordError {
        RecordError(
            .invalidArguments,
            "refer to the asset of field '\(item.fieldName.told)' of record "
                + "'\(item.recordName.told)': \(reason)")
    }
}

/// The files of the field that was opened last.
///
/// They are kept so that a field with a list of files is opened only once for consecutive items
/// that name it.
private struct HeldFiles {
    private var place: (record: String, field: String)?
    private var held: [(checksum: String, file: AssetDescriptor)] = []

    mutating func files(
        _ item: RereferenceRequest.Item, of record: Record
    ) throws(RecordError) -> [(checksum: String, file: AssetDescriptor)] {
        if let place, place.record.utf8.elementsEqual(item.recordName.utf8),
            place.field.utf8.elementsEqual(item.fieldName.utf8)
        {
            return held
        }
        let found = try Self.files(item, of: record)
        (place, held) = ((item.recordName, item.fieldName), found)
        return found
    }

    private static func files(
        _ item: RereferenceRequest.Item, of record: Record
    ) throws(RecordError) -> [(checksum: String, file: AssetDescriptor)] {
        guard NameRules.isFieldName(item.fieldName) else {
            throw WebCall.refused(item, "the record has no such field")
        }
        guard record.fields.contains(where: { $0.name == item.fieldName && !$0.isEncrypted }) else {
            let isThere = record.fields.contains { $0.name == item.fieldName }
            throw WebCall.refused(
                item, isThere ? "encrypted fields hold no assets" : "the record has no such field")
        }
        var held: [(checksum: String, file: AssetDescriptor)] = []
        for case .asset(let file) in try record.value(of: item.fieldName)?.elements ?? [] {
            held.append((file.checksum, file))
        }
        guard !held.isEmpty else {
            throw WebCall.refused(item, "the field holds no asset")
        }
        return held
    }
}
