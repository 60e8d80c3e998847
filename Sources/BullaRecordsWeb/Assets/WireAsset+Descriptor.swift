import BullaRecords
internal import BullaText

extension AssetDescriptor {
    /// The asset's checksum for clients: its name, and not a digest of its contents.
    var checksum: String { Base64.text(asset.bytes) }
}

extension WireAsset {
    /// The description of an asset for clients.
    ///
    /// Two keys exist only because clients expect them: they reveal nothing about the file, and
    /// certainly not its key.
    ///
    /// - Parameters:
    ///   - receipt: for the answer to an upload.
    ///   - downloadURL: for the field of a record.
    init(_ asset: AssetDescriptor, receipt: String? = nil, downloadURL: String? = nil) {
        self.init()
        fileChecksum = asset.checksum
        referenceChecksum = asset.checksum
        wrappingKey = asset.checksum
        size = Int64(clamping: asset.byteCount)
        (self.receipt, self.downloadURL) = (receipt, downloadURL)
    }
}

/// Its receipt and its address give access to a file.
extension WireAsset: Untold {
    package var description: String { "an asset" }
}
