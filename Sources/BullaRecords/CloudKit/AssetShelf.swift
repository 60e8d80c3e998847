internal import Synchronization

/// The assets of a record that somebody has looked at: they keep their files while the record is
/// there.
final class AssetShelf: Sendable {
    let core: RecordCore
    private let assets = Mutex<[RandomIdentifier: CKAsset]>([:])

    init(_ core: RecordCore) { self.core = core }

    /// The asset, the same one each time.
    func asset(_ descriptor: AssetDescriptor) -> CKAsset {
        assets.withLock { assets in
            if let asset = assets[descriptor.asset] { return asset }
            let asset = CKAsset(descriptor, core)
            assets[descriptor.asset] = asset
            return asset
        }
    }
}
