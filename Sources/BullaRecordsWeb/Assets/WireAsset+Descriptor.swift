import BullaRecords
internal import BullaText

extension AssetDescriptor {
    /// What clients call the asset: its name, and no digest of what is in it.
    var checksum: String { Base64.text(asset.bytes) }
}

extension WireAsset {
    /// What is told of an asset.
    ///
    /// Two keys are there because clients expect them: they say nothing of the file, and least of
    /// all its key.
    ///
    /// - Parameters:
    ///   - receipt: in the answer to an upload.
    ///   - downloadURL: in the field of a record.
    init(_ asset: AssetDescriptor, receipt: String? = nil, downloadURL: String? = nil) {
        self.init()
        fileChecksum = asset.checksum
        referenceChecksum = asset.checksum
        wrappingKey = asset.checksum
        size = Int64(clamping: asset.byteCount)
        (self.receipt, self.downloadURL) = (receipt, downloadURL)
    }
}

/// Its receipt and its address open a file.
extension WireAsset: Untold {
    package var description: String { "an asset" }
}
