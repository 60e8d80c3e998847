internal import BullaCipher
internal import BullaMemory

/// A file on its way into a database, in chunks: in memory there is never more than one of them.
///
/// What comes of it is a descriptor, which a record is to hold; chunks that no record holds after
/// an hour are freed. It belongs to one thread at a time.
package final class AssetUpload {
    private let core: RecordCore
    private let asset: RandomIdentifier
    private let key: [UInt8]
    private let sealer: ChunkSealer
    /// The chunk that comes, with the room that its seal needs; the same memory for every chunk.
    private var pending = [UInt8](repeating: 0, count: ChunkSealer.headByteCount)
    private var digest = AssetDigest()
    private var byteCount: UInt64 = 0
    private var index: UInt32 = 0

    init(_ core: RecordCore) throws(RecordError) {
        self.core = core
        asset = try .new()
        do throws(CipherError) {
            key = try [UInt8](byteCount: AssetDescriptor.keyByteCount) { key throws(CipherError) in
                try KernelRandom.fill(key)
            }
            sealer = try ChunkSealer(asset, key: key, core.items)
        } catch { throw RecordError.cipher("take an asset up", error) }
        pending.reserveCapacity(ChunkSealer.sealedByteCount)
    }

    private static let fullByteCount = ChunkSealer.headByteCount + ChunkSealer.chunkByteCount

    /// Takes the file's next bytes, any number of them.
    ///
    /// - Throws: `limitExceeded` above the limit for assets; `unavailable`.
    package func append(_ bytes: [UInt8]) throws(RecordError) { try append(bytes[...]) }

    /// Takes the file's next bytes, any number of them.
    package func append(_ bytes: ArraySlice<UInt8>) throws(RecordError) {
        byteCount += UInt64(bytes.count)
        guard byteCount <= core.limits.assetByteCount else {
            throw RecordError(
                .limitExceeded,
                "take an asset up: it has more than \(core.limits.assetByteCount) bytes")
        }
        var rest = bytes
        while !rest.isEmpty {
            // A full chunk waits for what follows: it may be the last.
            if pending.count == Self.fullByteCount { try put(isLast: false) }
            let taken = rest.prefix(Self.fullByteCount - pending.count)
            pending += taken
            rest = rest.dropFirst(taken.count)
        }
    }

    /// Ends the file.
    ///
    /// - Returns: what a record is to hold.
    package func finish() throws(RecordError) -> AssetDescriptor {
        try put(isLast: true)
        return AssetDescriptor(
            asset, byteCount: byteCount, chunkCount: index, key: key, digest: try digest.bytes())
    }

    private func put(isLast: Bool) throws(RecordError) {
        pending += repeatElement(0, count: ChunkSealer.tagByteCount)
        do throws(CipherError) {
            try sealer.seal(inPlace: &pending, index, isLast: isLast)
        } catch { throw RecordError.cipher("take an asset up", error) }
        digest.add(pending)
        try core.backend.put(pending, index, of: asset, time: core.clock())
        pending.removeLast(pending.count - ChunkSealer.headByteCount)
        index += 1
    }
}

/// What the chunks of a file are, all together: the SHA-256 of their tags.
///
/// Each chunk is authenticated by itself; this says that they are those of one upload.
private struct AssetDigest {
    private var tags: [UInt8] = []

    mutating func add(_ sealed: [UInt8]) {
        // A sequence's `suffix` would go through the whole chunk.
        tags += sealed[max(sealed.count - ChunkSealer.tagByteCount, 0)...]
    }

    func bytes() throws(RecordError) -> [UInt8] {
        do throws(CipherError) {
            return try tags.withView { tags throws(CipherError) in
                try KeyDerivation.sha256(tags).bytes
            }
        } catch { throw RecordError.cipher("digest an asset", error) }
    }
}

/// A file of a record, read in chunks.
package struct AssetReader: Sendable {
    package let descriptor: AssetDescriptor
    private let core: RecordCore
    private let sealer: ChunkSealer

    init(_ core: RecordCore, _ descriptor: AssetDescriptor) throws(RecordError) {
        (self.core, self.descriptor) = (core, descriptor)
        do throws(CipherError) {
            sealer = try ChunkSealer(descriptor.asset, key: descriptor.key, core.items)
        } catch { throw RecordError.cipher("read an asset", error) }
    }

    package var byteCount: UInt64 { descriptor.byteCount }

    /// Hands the bytes of a range of the file to `body`, chunk by chunk, in their order.
    ///
    /// - Parameter range: inside the file; `nil` for all of it.
    /// - Throws: what `body` throws; ``RecordError`` with `assetNotFound` where the file was freed,
    ///   `damaged` where a chunk is not what was sealed, or is missing; it says which.
    /// - Complexity: one chunk in memory at a time, in the same buffer as long as `body` does not
    ///   keep what it is handed.
    package func read(
        _ range: Range<UInt64>? = nil, _ body: (ArraySlice<UInt8>) throws -> Void
    ) throws {
        guard let range else { return try readAll(body) }
        guard range.upperBound <= descriptor.byteCount else {
            throw RecordError(.invalidArguments, "read an asset: the range is not inside of it")
        }
        var chunk: [UInt8] = []
        for index in chunks(of: range) {
            let place = try read(range, in: index, into: &chunk)
            if !place.isEmpty { try body(chunk[place]) }
        }
    }

    private func readAll(_ body: (ArraySlice<UInt8>) throws -> Void) throws {
        var digest = AssetDigest()
        var chunk: [UInt8] = []
        for index in 0..<descriptor.chunkCount {
            try readSealed(index, into: &chunk)
            digest.add(chunk)
            let place = try open(&chunk, index)
            let isLast = index + 1 == descriptor.chunkCount
            if isLast, try digest.bytes() != descriptor.digest {
                throw RecordError(.damaged, "read an asset: its chunks are of several uploads")
            }
            if !place.isEmpty { try body(chunk[place]) }
        }
    }

    /// The chunks that a range lies in.
    ///
    /// An empty range has one, so that somebody looks whether the file is there; behind the last
    /// byte it may have none.
    package func chunks(of range: Range<UInt64>) -> Range<UInt32> {
        let unit = UInt64(ChunkSealer.chunkByteCount)
        let last = range.isEmpty ? range.lowerBound / unit : (range.upperBound - 1) / unit
        let end = min(last + 1, UInt64(descriptor.chunkCount))
        return UInt32(min(range.lowerBound / unit, end))..<UInt32(end)
    }

    /// Reads a chunk into a buffer, in place of what it has, and says where in it the bytes of a
    /// range are.
    ///
    /// - Parameters:
    ///   - range: inside the file.
    ///   - index: one of ``chunks(of:)``.
    ///   - chunk: chunks of one file that are read one after the other need no other memory than
    ///     the first.
    /// - Throws: as ``read(_:_:)``.
    package func read(
        _ range: Range<UInt64>, in index: UInt32, into chunk: inout [UInt8]
    ) throws(RecordError) -> Range<Int> {
        try readSealed(index, into: &chunk)
        let place = try open(&chunk, index)
        let start = UInt64(index) * UInt64(ChunkSealer.chunkByteCount)
        let taken = range.clamped(to: start..<start + UInt64(place.count))
        let first = place.lowerBound + Int(taken.lowerBound - start)
        return first..<first + Int(taken.upperBound - taken.lowerBound)
    }

    private func readSealed(_ index: UInt32, into chunk: inout [UInt8]) throws(RecordError) {
        let attempt = "read chunk \(index) of an asset"
        if try core.backend.readChunk(index, of: descriptor.asset, into: &chunk) { return }
        let isGone = try core.backend.chunk(0, of: descriptor.asset) == nil
        throw isGone
            ? RecordError(.assetNotFound, "\(attempt): the asset is not there any more")
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

extension DatabaseView {
    /// Begins to take a file up.
    ///
    /// - Throws: `permissionFailure` where nobody has signed in.
    package func beginUpload() throws(RecordError) -> AssetUpload {
        if case .nobody = session {
            throw RecordError(.permissionFailure, "take an asset up: nobody has signed in")
        }
        return try core.beginUpload()
    }

    /// A file that a record holds, to be read.
    ///
    /// - Parameter asset: a value of the record.
    package func asset(_ asset: AssetDescriptor) throws(RecordError) -> AssetReader {
        try core.asset(asset)
    }
}

extension RecordCore {
    /// The bytes that a file may have.
    package var assetByteLimit: UInt64 { limits.assetByteCount }

    /// Begins to take a file up for somebody who may do so.
    package func beginUpload() throws(RecordError) -> AssetUpload { try AssetUpload(self) }

    /// A file that somebody may read.
    package func asset(_ asset: AssetDescriptor) throws(RecordError) -> AssetReader {
        try AssetReader(self, asset)
    }

    /// Whether a zone is there, and its owner's keys were not reset.
    package func isReadable(_ zone: ZoneIdentifier) throws(RecordError) -> Bool {
        let database = Database(place, owner: zone.owner)
        guard let head = try backend.zone(named: zone.name, in: database) else { return false }
        guard !database.isPublic else { return true }
        return try !ZoneKeyring(head.keys, zone, head.incarnation, container).isReset
    }

    /// Frees chunks of assets that no record has come to hold within the hour.
    ///
    /// - Returns: how many assets it freed.
    @discardableResult
    package func freeOrphans() throws(RecordError) -> Int {
        try backend.freeOrphans(before: clock() - limits.orphanMemory)
    }
}
