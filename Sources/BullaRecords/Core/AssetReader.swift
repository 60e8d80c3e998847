internal import BullaCipher
internal import BullaMemory

/// Reads a record's file in chunks.
package struct AssetReader: Sendable {
    /// How many chunks are read at once.
    private static let batchCount = 2

    package let descriptor: AssetDescriptor
    private let core: RecordCore
    private let database: Database
    private let sealer: ChunkSealer

    init(
        _ core: RecordCore, _ database: Database, _ descriptor: AssetDescriptor
    ) throws(RecordError) {
        (self.core, self.database, self.descriptor) = (core, database, descriptor)
        do throws(CipherError) {
            sealer = try ChunkSealer(descriptor.asset, key: descriptor.key, core.items)
        } catch { throw RecordError.cipher("read an asset", error) }
    }

    package var byteCount: UInt64 { descriptor.byteCount }

    /// Passes the bytes of a range of the file to `body`, chunk by chunk, in order.
    ///
    /// - Parameter range: within the file; `nil` for the whole file.
    /// - Throws: what `body` throws; ``RecordError``: `assetNotFound` if the first chunk is gone,
    ///   because the file was freed; `damaged`, with the chunk's number, if another chunk is
    ///   missing, or if a chunk is not what was sealed. If `range` is `nil` and the chunks come
    ///   from several uploads, the call throws `damaged` before `body` gets the last chunks.
    /// - Complexity: a few chunks are in memory at a time. They are read and opened on as many
    ///   threads as the system provides. The buffers are reused as long as `body` does not keep
    ///   what it gets.
    package func read(
        _ range: Range<UInt64>? = nil, _ body: (ArraySlice<UInt8>) throws -> Void
    ) throws {
        guard range?.upperBound ?? 0 <= descriptor.byteCount else {
            throw RecordError(.invalidArguments, "read an asset: the range ends after it")
        }
        var indexes = range.map { chunks(of: $0) } ?? 0..<descriptor.chunkCount
        var digest = AssetDigest()
        var batch: [[UInt8]] = Array(repeating: [], count: Self.batchCount)
        while let first = indexes.first {
            batch.removeSubrange(min(indexes.count, batch.count)...)
            let parts = try read(range, from: first, into: &batch)
            for part in parts { digest.add(part.tag) }
            indexes = indexes.dropFirst(batch.count)
            if range == nil, indexes.isEmpty, try digest.bytes() != descriptor.digest {
                throw RecordError(.damaged, "read an asset: its chunks come from several uploads")
            }
            for (chunk, part) in zip(batch, parts) where !part.place.isEmpty {
                try body(chunk[part.place])
            }
        }
    }

    /// Where the bytes of a range are in an opened chunk, and the chunk's tag.
    private struct Part {
        let place: Range<Int>
        let tag: [UInt8]
    }

    /// Reads and opens consecutive chunks in the buffers of `batch`, replacing their contents.
    private func read(
        _ range: Range<UInt64>?, from first: UInt32, into batch: inout [[UInt8]]
    ) throws(RecordError) -> [Part] {
        try batch.workOnEach { place, chunk throws(RecordError) in
            let index = first + UInt32(place)
            try readSealed(index, into: &chunk)
            let tag = ChunkSealer.tag(of: chunk)
            let bytes = try open(&chunk, index)
            return Part(place: part(of: range, bytes, index), tag: tag)
        }
    }

    /// The chunks that contain a range.
    ///
    /// For an empty range, this is one chunk, so that the caller can find out whether the file
    /// still exists. For an empty range after the last byte, there may be no chunk.
    package func chunks(of range: Range<UInt64>) -> Range<UInt32> {
        let unit = UInt64(ChunkSealer.chunkByteCount)
        let last = range.isEmpty ? range.lowerBound / unit : (range.upperBound - 1) / unit
        let end = min(last + 1, UInt64(descriptor.chunkCount))
        return UInt32(min(range.lowerBound / unit, end))..<UInt32(end)
    }

    /// Reads a chunk into a buffer, replacing its contents, and returns where in the buffer the
    /// bytes of a range are.
    ///
    /// - Parameters:
    ///   - range: within the file.
    ///   - index: one of ``chunks(of:)``.
    ///   - chunk: the buffer; reading the chunks of one file in order allocates memory only once.
    /// - Throws: as ``read(_:_:)``.
    package func read(
        _ range: Range<UInt64>, in index: UInt32, into chunk: inout [UInt8]
    ) throws(RecordError) -> Range<Int> {
        try readSealed(index, into: &chunk)
        let place = try open(&chunk, index)
        return part(of: range, place, index)
    }

    /// The position of a range's bytes in a chunk; the whole chunk if there is no range.
    private func part(
        of range: Range<UInt64>?, _ place: Range<Int>, _ index: UInt32
    ) -> Range<Int> {
        guard let range else { return place }
        let start = UInt64(index) * UInt64(ChunkSealer.chunkByteCount)
        let taken = range.clamped(to: start..<start + UInt64(place.count))
        let first = place.lowerBound + Int(taken.lowerBound - start)
        return first..<first + Int(taken.upperBound - taken.lowerBound)
    }

    private func readSealed(_ index: UInt32, into chunk: inout [UInt8]) throws(RecordError) {
        let attempt = "read chunk \(index) of an asset"
        let asset = descriptor.asset
        if try core.backend.readChunk(index, of: asset, in: database, into: &chunk) { return }
        let isGone = try core.backend.chunk(0, of: asset, in: database) == nil
        throw isGone
            ? RecordError(.assetNotFound, "\(attempt): the asset no longer exists")
            : RecordError(.damaged, "\(attempt): the chunk is missing")
    }

    private func open(_ chunk: inout [UInt8], _ index: UInt32) throws(RecordError) -> Range<Int> {
        let isLast = index + 1 == descriptor.chunkCount
        let unit = UInt64(ChunkSealer.chunkByteCount)
        let (left, isBeyond) = descriptor.byteCount.subtractingReportingOverflow(
            UInt64(index) * unit)
        let expected = min(left, unit)
        do throws(CipherError) {
            guard !isBeyond else { throw CipherError(.malformed) }
            let place = try sealer.open(inPlace: &chunk, index, isLast: isLast)
            guard place.count == expected else { throw CipherError(.malformed) }
            return place
        } catch { throw RecordError.cipher("read chunk \(index) of an asset", error) }
    }
}
