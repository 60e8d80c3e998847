package import BullaRecords

/// Calls for assets of the bench's public database.
extension RecordBackend {
    /// Keeps one chunk of an asset.
    package func put(
        _ chunk: [UInt8], _ index: UInt32, of asset: RandomIdentifier, time: Int64
    ) throws(RecordError) {
        try put([chunk], from: index, of: asset, time: time)
    }

    /// Keeps chunks of an asset.
    package func put(
        _ chunks: [[UInt8]], from first: UInt32, of asset: RandomIdentifier, time: Int64
    ) throws(RecordError) {
        try put(chunks, from: first, of: asset, in: BackendBench.public, time: time)
    }

    /// Keeps chunks of an asset, one by one.
    package func put(
        from first: UInt32, of asset: RandomIdentifier, time: Int64, _ next: () -> [UInt8]?
    ) throws(RecordError) {
        try put(from: first, of: asset, in: BackendBench.public, time: time, next)
    }

    /// A chunk of an asset; `nil` if there is none.
    package func chunk(
        _ index: UInt32, of asset: RandomIdentifier
    ) throws(RecordError) -> [UInt8]? {
        try chunk(index, of: asset, in: BackendBench.public)
    }

    /// Reads a chunk of an asset into a buffer.
    package func readChunk(
        _ index: UInt32, of asset: RandomIdentifier, into chunk: inout [UInt8]
    ) throws(RecordError) -> Bool {
        try readChunk(index, of: asset, in: BackendBench.public, into: &chunk)
    }
}
