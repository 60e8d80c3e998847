internal import Bulla
internal import BullaCipher
internal import BullaMemory
internal import Dispatch

/// A file on its way into a database, in chunks.
///
/// The caller's thread seals each chunk where it stands. Another one puts what has been sealed by
/// then in one commit, chunk after chunk, while the caller's goes on. It never waits for a chunk
/// inside a commit, and ends a commit early when another writer waits. What comes of all is a
/// descriptor, which a record is to hold; chunks that no record holds after an hour are freed.
///
/// It belongs to one thread at a time. When it goes, nothing is being put any more.
package final class AssetUpload {
    private let core: RecordCore
    private let asset: RandomIdentifier
    private let key: [UInt8]
    private let sealer: ChunkSealer
    /// The chunk that comes, with the room that its seal needs.
    private var pending: [UInt8] = []
    private let putter: ChunkPutter
    /// The store that its thread writes to waits for threads of other kinds.
    private let behind = WriteBehind<RecordError>(.utility)
    private var digest = AssetDigest()
    private var byteCount: UInt64 = 0
    /// How many chunks were sealed.
    private var index: UInt32 = 0
    /// Why nothing comes of what is taken up from now on.
    private var failure: RecordError?

    init(_ core: RecordCore) throws(RecordError) {
        self.core = core
        asset = try .new()
        putter = ChunkPutter(core, asset)
        do throws(CipherError) {
            key = try [UInt8](byteCount: AssetDescriptor.keyByteCount) { key throws(CipherError) in
                try KernelRandom.fill(key)
            }
            sealer = try ChunkSealer(asset, key: key, core.items)
        } catch { throw RecordError.cipher("take an asset up", error) }
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

    /// Takes the file's next bytes, any number of them.
    ///
    /// - Throws: `limitExceeded` above the limit for assets; `unavailable`, for these bytes or
    ///   former ones. Afterwards it takes nothing more, for the same reason;
    ///   `invalidArguments` once the file has ended.
    package func append(_ bytes: [UInt8]) throws(RecordError) { try append(bytes[...]) }

    /// Takes the file's next bytes, any number of them.
    package func append(_ bytes: ArraySlice<UInt8>) throws(RecordError) {
        try whole { () throws(RecordError) in try take(bytes) }
    }

    /// Ends the file, which has one end.
    ///
    /// - Returns: what a record is to hold.
    /// - Throws: as ``append(_:)``.
    package func finish() throws(RecordError) -> AssetDescriptor {
        try whole { () throws(RecordError) in
            try send(isLast: true)
            try behind.wait()
        }
        failure = RecordError(.invalidArguments, "take an asset up: it has ended already")
        return AssetDescriptor(
            asset, byteCount: byteCount, chunkCount: index, key: key, digest: try digest.bytes())
    }

    /// Does a part of the work, unless a former one failed.
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
                "take an asset up: it has more than \(core.limits.assetByteCount) bytes")
        }
        var rest = bytes
        while !rest.isEmpty {
            // A full chunk waits for what follows: it may be the last.
            if pending.count == Self.fullByteCount {
                try send(isLast: false)
                beginChunk()
            }
            let taken = rest.prefix(Self.fullByteCount - pending.count)
            pending += taken
            rest = rest.dropFirst(taken.count)
        }
    }

    /// Seals the chunk, and leaves it to the other thread.
    private func send(isLast: Bool) throws(RecordError) {
        pending += repeatElement(0, count: ChunkSealer.tagByteCount)
        do throws(CipherError) {
            try sealer.seal(inPlace: &pending, index, isLast: isLast)
        } catch { throw RecordError.cipher("take an asset up", error) }
        digest.add(ChunkSealer.tag(of: pending))
        index += 1
        let isFirst = try putter.queue.send(pending)
        pending = []
        guard isFirst else { return }
        // Not this upload: the thread would keep it, and it waits for the thread when it goes.
        behind.begin { [putter] () throws(RecordError) in try putter.put() }
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
