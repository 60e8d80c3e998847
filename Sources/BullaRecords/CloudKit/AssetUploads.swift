internal import Foundation

/// The assets of records to be saved, uploaded before any record is saved.
struct AssetUploads {
    private(set) var descriptors: [CKAsset: AssetDescriptor] = [:]
    /// The errors of records whose assets could not be uploaded.
    private(set) var failures: [CKRecord.ID: CKError] = [:]

    /// Uploads the records' new assets.
    init(_ items: [RecordModification.Item], _ view: DatabaseView) {
        for case .save(let record, let state) in items {
            do throws(CKError) {
                for asset in state.changedAssets where descriptors[asset] == nil {
                    descriptors[asset] = try asset.descriptor(in: view)
                }
            } catch { failures[record.recordID] = error }
        }
    }

    /// The value that a field will hold.
    func value(_ assets: [CKAsset], isList: Bool) throws(RecordError) -> RecordValue {
        let values = assets.compactMap { descriptors[$0] }.map { RecordValue.asset($0) }
        guard values.count == assets.count, let first = values.first else {
            throw RecordError(.internalError, "save a record: an asset was not uploaded")
        }
        return isList ? .list(.asset, values) : first
    }
}

extension RecordState {
    /// The assets assigned to fields since the record was read or saved.
    var changedAssets: [CKAsset] {
        changes.values.flatMap { change in
            if case .assets(let assets, _) = change { assets } else { [CKAsset]() }
        }
    }
}

extension RecordState.Change {
    /// Creates a change to assets, if the value is an asset or a list of assets.
    ///
    /// An empty list can be of any type, and does not count as one of assets.
    init?(assets value: Any) {
        switch value {
        case let asset as CKAsset: self = .assets([asset], isList: false)
        case let assets as [CKAsset] where !assets.isEmpty: self = .assets(assets, isList: true)
        case let array as NSArray where array.count > 0:
            let assets = array.compactMap { $0 as? CKAsset }
            guard assets.count == array.count else { return nil }
            self = .assets(assets, isList: true)
        default: return nil
        }
    }
}
