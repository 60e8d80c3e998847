import BullaRecords
internal import BullaText

extension AssetDescriptor {
    /// What clients get as the asset's checksum: its name, not a digest of its contents.
    var checksum: String { Base64.text(asset.bytes) }
}

extension RandomIdentifier {
    /// The identifier of the asset with this checksum; `nil` if the text is not a checksum.
    init?(checksum: String) {
        guard let bytes = Base64.bytes(checksum.utf8) else { return nil }
        self.init(bytes: bytes)
    }
}

extension WireAsset {
    /// Describes an asset for clients.
    ///
    /// `referenceChecksum` and `wrappingKey` are set only because clients expect them. Their values
    /// reveal nothing about the file; in particular, they do not reveal its key.
    ///
    /// - Parameters:
    ///   - receipt: the receipt; `nil` except in the answers to an upload and to
    ///     `assets/rereference`.
    ///   - downloadURL: the file's address; `nil` except in the field of a record.
    init(_ asset: AssetDescriptor, receipt: String? = nil, downloadURL: String? = nil) {
        self.init()
        fileChecksum = asset.checksum
        referenceChecksum = asset.checksum
        wrappingKey = asset.checksum
        size = Int64(clamping: asset.byteCount)
        (self.receipt, self.downloadURL) = (receipt, downloadURL)
    }
}

/// An asset's receipt and its address give access to a file, so printing an asset shows neither.
extension WireAsset: Untold {
    package var description: String { "an asset" }
}
