internal import Synchronization

/// The assets of a record that were accessed: they keep their files as long as the record exists.
final class AssetShelf: Sendable {
    let core: RecordCore
    private let assets = Mutex<[RandomIdentifier: CKAsset]>([:])

    init(_ core: RecordCore) { self.core = core }

    /// The asset, always the same object.
    func asset(_ descriptor: AssetDescriptor) -> CKAsset {
        assets.withLock { assets in
            if let asset = assets[descriptor.asset] { return asset }
            let asset = CKAsset(descriptor, core)
            assets[descriptor.asset] = asset
            return asset
        }
    }
}
