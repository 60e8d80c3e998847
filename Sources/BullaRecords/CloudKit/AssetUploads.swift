internal import Foundation

/// The assets of the records to be saved; they are uploaded before any of the records is saved.
struct AssetUploads {
    /// The field that holds an asset.
    struct Place: Hashable {
        let record: CKRecord.ID
        let key: String
    }

    private struct Key: Hashable {
        let asset: CKAsset
        /// The owner of the zone: only records of this owner can hold what was uploaded.
        let owner: String
        /// The only field that can hold the asset; `nil` if every field of the owner's records can.
        let place: Place?
    }

    private let hasPlaces: Bool
    private var descriptors: [Key: AssetDescriptor] = [:]
    /// The errors of records whose assets could not be uploaded.
    private(set) var failures: [CKRecord.ID: CKError] = [:]

    /// Uploads the records' new assets.
    init(_ items: [RecordModification.Item], _ view: any RecordDatabase) {
        hasPlaces = view.hasUploadsByField
        for case .save(let record, let state) in items {
            do throws(CKError) {
                for (field, asset) in state.changedAssets {
                    try upload(asset, record, field, view)
                }
            } catch { failures[record.recordID] = error }
        }
    }

    private mutating func upload(
        _ asset: CKAsset, _ record: CKRecord, _ field: String, _ view: any RecordDatabase
    ) throws(CKError) {
        let key = key(asset, Place(record: record.recordID, key: field))
        guard descriptors[key] == nil else { return }
        let zone: ZoneIdentifier
        let zones: any RecordDatabase
        do throws(RecordError) {
            let id = record.recordID.zoneID
            zones = try view.zones(like: id)
            zone = ZoneIdentifier(id.zoneName, owner: try id.owner() ?? view.home)
        } catch { throw CKError(error) }
        let place = AssetField(
            field, of: record.recordType, named: record.recordID.recordName, in: zone)
        descriptors[key] = try asset.descriptor(in: zones, for: place)
    }

    private func key(_ asset: CKAsset, _ place: Place) -> Key {
        Key(
            asset: asset, owner: place.record.zoneID.ownerName, place: hasPlaces ? place : nil)
    }

    /// The value that a field will hold.
    func value(
        _ assets: [CKAsset], isList: Bool, of place: Place
    ) throws(RecordError) -> RecordValue {
        let values = assets.compactMap { descriptors[key($0, place)] }.map {
            RecordValue.asset($0)
        }
        guard values.count == assets.count, let first = values.first else {
            throw RecordError(.internalError, "save a record: an asset was not uploaded")
        }
        return isList ? .list(.asset, values) : first
    }
}

extension RecordState {
    /// The assets assigned to fields since the record was read or saved.
    var changedAssets: [(field: String, asset: CKAsset)] {
        var assets: [(field: String, asset: CKAsset)] = []
        for case (let field, .assets(let changed, _)) in changes {
            assets += changed.map { (field, $0) }
        }
        return assets
    }
}

extension RecordState.Change {
    /// Creates a change to assets, if the value is an asset or a list of assets.
    ///
    /// An empty list can be of any type, and does not count as a list of assets.
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
