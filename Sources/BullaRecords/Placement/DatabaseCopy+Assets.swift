extension DatabaseCopy {
    /// How many chunks of an asset one call puts at the target.
    private static let putCount = 4

    /// Copies the assets that the records of a page hold.
    ///
    /// - Returns: how many chunks; `nil` if an asset was freed meanwhile, because a record has
    ///   changed.
    /// - Throws: `damaged` if, at one of the sites, such an asset belongs to another database.
    func copyAssets(of page: ZonePage) throws(RecordError) -> Int? {
        var count = 0
        for asset in page.assets {
            guard let chunks = try copy(asset, time: mover.clock()) else { return nil }
            count += chunks
        }
        return count
    }

    /// Copies the assets that no record holds yet.
    ///
    /// - Returns: `count`: the number of copied chunks, times `chunkWeight`; `others`: the assets
    ///   at the target that no record holds there, and that the source does not list.
    mutating func copyUploads(
        _ step: AccountMover.Step
    ) throws(RecordError) -> (count: Int, others: Set<RandomIdentifier>) {
        var others = Set(try sink.moves.uploads(in: database).map(\.asset))
        var count = 0
        for (asset, time) in try source.moves.uploads(in: database) {
            try mover.probe(step)
            let isThere = others.remove(asset) != nil
            if isThere, let former = uploads[asset], former.time == time {
                // If the source still gives the same time for the asset, new chunks can only follow
                // those that were copied.
                let chunks = try copyChunks(of: asset, from: former.end, time: time)
                uploads[asset] = (former.end + UInt32(chunks), time)
                count += chunks * Self.chunkWeight
            } else if let chunks = try copy(asset, time: time) {
                uploads[asset] = (UInt32(chunks), time)
                count += chunks * Self.chunkWeight
            }
        }
        return (count, others)
    }

    /// Copies all of an asset, unless a record at the target holds it already.
    ///
    /// - Returns: how many chunks; `nil` if the asset was freed meanwhile.
    private func copy(
        _ asset: RandomIdentifier, time: Int64
    ) throws(RecordError) -> Int? {
        if let count = try sink.moves.holderCount(of: asset, in: database) {
            guard count == 0 else { return 0 }
            // An earlier attempt may have left other chunks there.
            try sink.moves.free(asset, in: database)
        }
        let count = try copyChunks(of: asset, from: 0, time: time)
        // The copy is whole only if the asset still existed after its last chunk was read.
        let isThere = try source.moves.holderCount(of: asset, in: database) != nil
        return isThere ? count : nil
    }

    /// Copies the chunks of an asset from number `first` on; returns how many it has copied.
    private func copyChunks(
        of asset: RandomIdentifier, from first: UInt32, time: Int64
    ) throws(RecordError) -> Int {
        let limit = UInt32(mover.assetByteLimit / UInt64(ChunkSealer.chunkByteCount)) + 1
        var index = first
        while index <= limit {
            try checkTime()
            var chunks: [[UInt8]] = []
            while chunks.count < Self.putCount,
                let chunk = try source.chunk(
                    index + UInt32(chunks.count), of: asset, in: database)
            {
                chunks.append(chunk)
            }
            guard !chunks.isEmpty else { return Int(index - first) }
            guard chunks.allSatisfy({ $0.count <= ChunkSealer.sealedByteCount }) else {
                throw RecordError(
                    .damaged, "move an asset: \(move.home) gave a chunk that is longer than any")
            }
            try sink.put(chunks, from: index, of: asset, in: database, time: time)
            index += UInt32(chunks.count)
        }
        throw RecordError(
            .limitExceeded, "move an asset: it has more than \(mover.assetByteLimit) bytes")
    }
}
