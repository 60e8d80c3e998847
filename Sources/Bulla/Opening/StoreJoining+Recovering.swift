internal import BullaMemory
internal import Logging

/// The work of the first opener: recovering the store, and mending damaged copies of its header and
/// of its table of key epochs.
extension StoreJoining {
    /// Recovers the store, as its first opener, and begins a world for the openers to come.
    func begin(_ world: World) throws(BullaError) -> StoreCore {
        let core: StoreCore
        do throws(BullaError) {
            if world.isShared { _ = try parts.file.lock(world.lockByte, .shared) }
            core = try makeCore(world, parts)
        } catch {
            try? world.remove(parts.storage)
            throw error
        }
        do throws(BullaError) {
            let (found, isClean) = try CheckpointRecovery(core: core).run()
            try flushName(world)
            try core.board.begin(found)
            try LogOpening(core: core).begin(in: world)
            core.board.words.storeRelease(found.sealedCount, WorldLayout.seals)
            try core.trees.adoptRecoveredRoot()
            if !isClean { _ = try parts.file.lock(LockByte.recovering, .none) }
            if options.access == .readWrite {
                try repairHeader()
                try repairKeyEpochs(core, found)
            }
            try KeyringChange(core: core).finish()
            // Go from exclusive to shared in one step, so that no other process can come in
            // between.
            if world.isShared { _ = try parts.file.lock(LockByte.presence, .shared) }
            return core
        } catch {
            // Remove the coordination file before `abandon` releases the locks, so that the next
            // opener makes a new file.
            try? world.remove(parts.storage)
            StoreClosing(core: core).abandon()
            throw error
        }
    }

    /// Makes the file's name durable before anybody relies on a commit, because the process that
    /// made the file may have died before it flushed the name.
    ///
    /// The first opener for writing does this for all openers; an opener that only reads does not
    /// need it.
    func flushName(_ world: World) throws(BullaError) {
        guard options.access == .readWrite, world.words.loadAcquire(WorldLayout.nameFlushed) == 0
        else {
            return
        }
        try parts.storage.flushFolder(of: parts.path)
        world.words.storeRelease(1, WorldLayout.nameFlushed)
    }

    /// Rewrites the damaged copy of the header from the other copy, which the meta slots'
    /// authenticators have proven genuine.
    private func repairHeader() throws(BullaError) {
        guard let copy = parts.damagedHeader else { return }
        let buffer = try Buffer.make(HeaderField.byteCount)
        let bytes = buffer.bytes.slice(0, HeaderField.byteCount)
        parts.header.write(bytes)
        try parts.file.write(bytes.view, at: UInt64(copy * PageFormat.copyDistance))
        try parts.file.flush()
        options.logger?.warning(
            "copy \(copy) of the header was damaged, and was written anew from the other one",
            metadata: ["store": "\(parts.path)"])
    }

    /// Rewrites a damaged copy of the table of key epochs.
    ///
    /// If both copies were lost, no key would open the store's pages.
    private func repairKeyEpochs(
        _ core: StoreCore, _ record: CommitRecord
    ) throws(BullaError) {
        let copies = KeyEpochCopies(parts)
        let damaged = try copies.damaged(for: record)
        guard !damaged.isEmpty else { return }
        try copies.mend(for: record)
        try core.metaWriter.flushAsLeader()
        options.logger?.warning(
            "a copy of the table of key epochs was damaged, and was written anew",
            metadata: ["store": "\(parts.path)"])
    }
}
