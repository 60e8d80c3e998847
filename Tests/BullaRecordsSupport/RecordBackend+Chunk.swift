package import BullaRecords

extension RecordBackend {
    /// Keeps one chunk of an asset.
    package func put(
        _ chunk: [UInt8], _ index: UInt32, of asset: RandomIdentifier, time: Int64
    ) throws(RecordError) {
        try put([chunk], from: index, of: asset, time: time)
    }
}
