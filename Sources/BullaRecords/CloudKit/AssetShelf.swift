internal import Synchronization

/// Keeps the accessed assets of a ``CKRecord``, and with them their files, as long as the
/// `CKRecord` exists.
final class AssetShelf: Sendable {
    let source: any AssetSource
    private let assets = Mutex<[RandomIdentifier: CKAsset]>([:])

    init(_ source: any AssetSource) { self.source = source }

    /// The asset with this descriptor; every call for the same asset returns the same object.
    func asset(_ descriptor: AssetDescriptor) -> CKAsset {
        assets.withLock { assets in
            if let asset = assets[descriptor.asset] { return asset }
            let asset = CKAsset(descriptor, source)
            assets[descriptor.asset] = asset
            return asset
        }
    }
}
