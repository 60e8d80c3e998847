internal import Synchronization

/// Keeps the accessed assets of a record, and with them their files, until the record is gone.
final class AssetShelf: Sendable {
    let core: RecordCore
    private let assets = Mutex<[RandomIdentifier: CKAsset]>([:])

    init(_ core: RecordCore) { self.core = core }

    /// The asset with a descriptor; every call returns the same object.
    func asset(_ descriptor: AssetDescriptor) -> CKAsset {
        assets.withLock { assets in
            if let asset = assets[descriptor.asset] { return asset }
            let asset = CKAsset(descriptor, core)
            assets[descriptor.asset] = asset
            return asset
        }
    }
}
