import BullaRecords
internal import Foundation

extension WebCall {
    /// Issues addresses for uploads; each address is for one field.
    func uploadAssets(_ value: JSONValue) throws(RecordError) -> [UInt8] {
        let request = try UploadRequest(value, context)
        // This reads no records. It throws an error if the caller cannot use the zone.
        _ = try zones(like: request.zone).records([], in: request.zone.name)
        var items: [UploadAnswer.Item] = []
        for item in request.items {
            try check(item)
            let place = AssetPlace(
                item.fieldName, of: item.recordType, named: item.recordName, in: request.zone)
            let grant = UploadGrant(caller.account, place)
            let ticket = try tickets.text(.upload, grant.bytes, lifetime: limits.uploadLifetime)
            items.append(
                UploadAnswer.Item(
                    recordName: item.recordName ?? UUID().uuidString, fieldName: item.fieldName,
                    url: address.address(of: .upload, in: target.place, ticket: ticket)))
        }
        return UploadAnswer(items).bytes()
    }

    /// Refuses an item with a name that no record can have, or a field that cannot hold an asset.
    func check(_ item: UploadRequest.Item) throws(RecordError) {
        if let name = item.recordName, !NameRules.isRecordName(name) {
            throw RecordError(
                .invalidArguments, "use an asset in record '\(name.told)': the name is not allowed")
        }
        let known = context.definition(item.recordType, item.fieldName)
        guard known?.kind.element != .asset else { return }
        _ = try view.core.knownSchema().accepting(
            item.recordType, [item.fieldName: FieldShape(FieldKind(.asset))],
            in: target.place.environment)
    }

    /// An asset in an answer, with the address of its file if the service can issue one.
    func wireAsset(_ asset: AssetDescriptor, of record: RecordIdentifier) -> WireAsset {
        let ticket = try? tickets.text(
            .download, DownloadGrant(asset, of: record).bytes, lifetime: limits.downloadLifetime)
        return WireAsset(
            asset,
            downloadURL: ticket.map {
                address.address(of: .download, in: target.place, ticket: $0)
            })
    }
}
