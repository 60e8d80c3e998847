internal import Foundation

/// The assets of records that are to be saved, taken up before any record is.
struct AssetUploads {
    private(set) var descriptors: [CKAsset: AssetDescriptor] = [:]
    /// Why assets of records could not be taken up.
    private(set) var failures: [CKRecord.ID: CKError] = [:]

    /// Takes up the assets of the records that are not there yet.
    init(_ items: [RecordModification.Item], _ view: DatabaseView) {
        for case .save(let record, let state) in items {
            do throws(CKError) {
                for asset in state.changedAssets where descriptors[asset] == nil {
                    descriptors[asset] = try asset.descriptor(in: view)
                }
            } catch { failures[record.recordID] = error }
        }
    }

    /// What a field is to hold.
    func value(_ assets: [CKAsset], isList: Bool) throws(RecordError) -> RecordValue {
        let values = assets.compactMap { descriptors[$0] }.map { RecordValue.asset($0) }
        guard values.count == assets.count, let first = values.first else {
            throw RecordError(.internalError, "save a record: an asset was not taken up")
        }
        return isList ? .list(.asset, values) : first
    }
}

extension RecordState {
    /// The assets that fields were given since the record was read or saved.
    var changedAssets: [CKAsset] {
        changes.values.flatMap { change in
            if case .assets(let assets, _) = change { assets } else { [CKAsset]() }
        }
    }
}

extension RecordState.Change {
    /// Makes a field hold assets, where that is what a caller gave; an empty list is of any type.
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
