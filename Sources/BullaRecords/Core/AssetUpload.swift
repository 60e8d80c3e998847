internal import Bulla
internal import BullaCipher
internal import BullaMemory
internal import Dispatch

/// An upload of a file into a database, in chunks.
///
/// The caller's thread seals each chunk in place. Meanwhile, another thread puts sealed chunks into
/// the store; each of its commits takes the chunks that are ready. Inside a commit, that thread
/// never waits for a chunk, and it ends a commit early if another writer waits. The result is a
/// descriptor for a record; chunks that no record holds after an hour are freed.
///
/// An upload belongs to one thread at a time. Its deinitialization waits until the other thread has
/// finished.
package final class AssetUpload {
    private let core: RecordCore
    private let asset: RandomIdentifier
    private let key: [UInt8]
    private let sealer: ChunkSealer
    /// The current chunk, with room for its seal.
    private var pending: [UInt8] = []
    private let putter: ChunkPutter
    /// The thread that puts the chunks; ``WriteBehind`` says why its quality of service must differ
    /// from that of the threads that wait for it.
    private let behind = WriteBehind<RecordError>(.utility)
    private var digest = AssetDigest()
    private var byteCount: UInt64 = 0
    /// How many chunks were sealed.
    private var index: UInt32 = 0
    /// The error with which all further calls fail.
    private var failure: RecordError?

    init(_ core: RecordCore, _ database: Database) throws(RecordError) {
        self.core = core
        asset = try .new()
        putter = ChunkPutter(core, database, asset)
        do throws(CipherError) {
            key = try [UInt8](byteCount: AssetDescriptor.keyByteCount) { key throws(CipherError) in
                try KernelRandom.fill(key)
            }
            sealer = try ChunkSealer(asset, key: key, core.items)
        } catch { throw RecordError.cipher("upload an asset", error) }
        beginChunk()
    }

    deinit { try? behind.wait() }

    private static let fullByteCount = ChunkSealer.headByteCount + ChunkSealer.chunkByteCount

    private func beginChunk() {
        pending = putter.queue.memory()
        pending.removeAll(keepingCapacity: true)
        pending.reserveCapacity(ChunkSealer.sealedByteCount)
        pending += repeatElement(0, count: ChunkSealer.headByteCount)
    }

    /// Adds the next bytes of the file, any number of them.
    ///
    /// - Throws: `limitExceeded` above the limit for assets; `unavailable`, for these bytes or
    ///   earlier ones; `invalidArguments` after the end of the file. After an error, all further
    ///   calls fail with the same error.
    package func append(_ bytes: [UInt8]) throws(RecordError) { try append(bytes[...]) }

    /// Adds the next bytes of the file, any number of them.
    package func append(_ bytes: ArraySlice<UInt8>) throws(RecordError) {
        try whole { () throws(RecordError) in try take(bytes) }
    }

    /// Ends the file; this can be called only once.
    ///
    /// - Returns: the descriptor for a record.
    /// - Throws: as ``append(_:)``.
    package func finish() throws(RecordError) -> AssetDescriptor {
        try whole { () throws(RecordError) in
            try send(isLast: true)
            try behind.wait()
        }
        failure = RecordError(.invalidArguments, "upload an asset: it has already ended")
        return AssetDescriptor(
            asset, byteCount: byteCount, chunkCount: index, key: key, digest: try digest.bytes())
    }

    /// Runs a step, unless an earlier one failed.
    private func whole(_ work: () throws(RecordError) -> Void) throws(RecordError) {
        if let failure { throw failure }
        do throws(RecordError) { try work() } catch {
            failure = error
            throw error
        }
    }

    private func take(_ bytes: ArraySlice<UInt8>) throws(RecordError) {
        byteCount += UInt64(bytes.count)
        guard byteCount <= core.limits.assetByteCount else {
            throw RecordError(
                .limitExceeded,
                "upload an asset: it has more than \(core.limits.assetByteCount) bytes")
        }
        var rest = bytes
        while !rest.isEmpty {
            // A full chunk is sealed here only when more bytes follow. If none follow, it is the
            // last chunk, and `finish` seals it as such.
            if pending.count == Self.fullByteCount {
                try send(isLast: false)
                beginChunk()
            }
            let taken = rest.prefix(Self.fullByteCount - pending.count)
            pending += taken
            rest = rest.dropFirst(taken.count)
        }
    }

    /// Seals the chunk, and passes it to the other thread.
    private func send(isLast: Bool) throws(RecordError) {
        pending += repeatElement(0, count: ChunkSealer.tagByteCount)
        do throws(CipherError) {
            try sealer.seal(inPlace: &pending, index, isLast: isLast)
        } catch { throw RecordError.cipher("upload an asset", error) }
        digest.add(ChunkSealer.tag(of: pending))
        index += 1
        let isFirst = try putter.queue.send(pending)
        pending = []
        guard isFirst else { return }
        // The closure does not capture the upload: if the thread released the last reference to the
        // upload, deinitialization would run on that thread, and wait for the thread itself.
        behind.begin { [putter] () throws(RecordError) in try putter.put() }
    }
}

extension DatabaseView {
    /// Begins an upload of a file.
    ///
    /// - Throws: `permissionFailure` if no user is signed in.
    package func beginUpload() throws(RecordError) -> AssetUpload {
        if case .nobody = session {
            throw RecordError(.permissionFailure, "upload an asset: nobody has signed in")
        }
        return try AssetUpload(core, database)
    }

    /// A reader for a file that a record holds.
    ///
    /// - Parameter asset: a value of the record.
    package func asset(_ asset: AssetDescriptor) throws(RecordError) -> AssetReader {
        try AssetReader(core, database, asset)
    }
}

extension RecordCore {
    /// Begins an upload of a file, without checking whether the caller may upload.
    ///
    /// - Parameter zone: any zone of the database; records in all of its zones can hold the file.
    package func beginUpload(for zone: ZoneIdentifier) throws(RecordError) -> AssetUpload {
        try AssetUpload(self, Database(place, owner: zone.owner))
    }

    /// A reader for a file whose address a user got by reading a record.
    ///
    /// - Throws: `assetNotFound` if this record no longer holds the file (even if other records
    ///   do), if the record's zone is gone, or if the zone owner's keys were reset.
    package func asset(
        _ asset: AssetDescriptor, heldBy record: RecordIdentifier
    ) throws(RecordError) -> AssetReader {
        let gone = RecordError(.assetNotFound, "read an asset: its record no longer holds it")
        let (zone, database) = (record.zone, Database(place, owner: record.zone.owner))
        guard let head = try head(named: zone.name, in: database) else { throw gone }
        if !database.isPublic {
            let keyring = try ZoneKeyring(head.keys, zone, head.incarnation, container)
            guard !keyring.isReset else { throw gone }
        }
        let held = try backend.assets(heldBy: record.name, in: ZoneLife(head))
        guard held.contains(asset.asset) else { throw gone }
        return try AssetReader(self, database, asset)
    }

    /// Frees the assets that no record holds, and whose last chunk was put more than an hour ago.
    ///
    /// - Returns: how many assets were freed.
    @discardableResult
    package func freeOrphans() throws(RecordError) -> Int {
        try backend.freeOrphans(before: clock() - limits.orphanMemory)
    }
}
