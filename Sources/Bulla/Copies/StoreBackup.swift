internal import BullaCipher
internal import BullaMemory

/// The result of a backup.
public struct BackupReport: Sendable, Codable {
    /// The commit that was backed up.
    public let commit: UInt64
    /// The moment that was backed up, for the next incremental backup to begin at.
    public let anchor: Anchor
    /// The moment that the backup adds to; `nil` if the backup is whole.
    public let since: Anchor?
    /// How many pages the backup has.
    public let pageCount: Int
}

extension Store {
    /// Writes a backup of the newest durable commit, while readers and writers go on.
    ///
    /// Pages are copied sealed. So a backup of an encrypted store is as secret as the store, and is
    /// encrypted under the same key. Every page is verified on the way.
    ///
    /// - Parameters:
    ///   - path: the backup's path, where no file may exist.
    ///   - anchor: backs up only what came since this moment. Such a backup is restored on top of
    ///     the backup whose report names the moment. `nil` backs up everything.
    ///   - progress: receives the progress in pages from time to time, and stops the backup by
    ///     throwing. The total is known only for a backup of everything.
    /// - Throws: what `progress` throws; `corrupted` if the store is damaged; `invalidArgument` if
    ///   a file exists at `path`, or if the anchor names another store, an unrelated history, or a
    ///   commit that this store never had; `notYetDurable` for a store that was opened for reading
    ///   after a crash, if loss of power can still undo its newest commit; `readOnly` for a store
    ///   that was opened for reading only, if its log has commits that no checkpoint has taken over
    ///   yet; `busy` if another thread or process changes the trees, or flushes, for the whole
    ///   timeout; `snapshotExpired` if writers needed the commit's pages meanwhile
    ///   (``StoreOptions/snapshotCommitLimit``); `full`, `io`, `outOfMemory`.
    /// - Complexity: makes a checkpoint, and reads every page that came since the moment, but no
    ///   other page.
    public func backup(
        to path: String, since anchor: Anchor? = nil,
        progress: ((TaskProgress) throws(BullaError) -> Void)? = nil
    ) throws(BullaError) -> BackupReport {
        // Stay inside the gate to the end: the backup reads the store's preamble after all pages.
        let entry = try core.entrance.enter()
        defer { core.entrance.leave(entry) }
        try core.recovery.checkFlushed("back up")
        try StoreCheckpoint(core: core).takeOverForCopy()
        let pinned = try PinnedRecord(core)
        let (record, parts) = (pinned.record, core.parts)
        try anchor?.checkBackup(record, of: parts.header, path: self.path)
        let written = try NewFile(path: path, storage: parts.storage).build {
            temporary throws(BullaError) in
            let file = try parts.storage.open(temporary, .creating)
            defer { file.close() }
            var writer = try BackupWriter(file, core, record, since: anchor, progress)
            try pinned.snapshot.claim.reading { () throws(BullaError) in
                try PageWalk(core.pager).forEachSealedPage(record, since: anchor?.commit ?? 0) {
                    pointer, sealed throws(BullaError) in
                    try writer.add(pointer.number, sealed)
                }
            }
            return try writer.finish()
        }
        _ = consume pinned
        return BackupReport(
            commit: record.commit, anchor: Anchor(record, of: parts.header),
            since: written.since, pageCount: written.pageCount)
    }
}

/// Writes a backup, page by page.
private struct BackupWriter {
    private let file: any StorageFile
    private let core: StoreCore
    private let record: CommitRecord
    private let since: Anchor?
    private let progress: ProgressReport?
    private let staging: ScratchBuffer
    private var staged = 0
    private var position = BackupField.pagesOffset
    private var count = 0

    /// How many bytes are written in one call.
    private static let stagingByteCount = 1 << 20

    init(
        _ file: any StorageFile, _ core: StoreCore, _ record: CommitRecord, since: Anchor?,
        _ progress: ProgressReport?
    ) throws(BullaError) {
        self.file = file
        self.core = core
        self.record = record
        self.since = since
        self.progress = progress
        staging = try Buffer.make(Self.stagingByteCount)
    }

    mutating func add(_ number: UInt64, _ sealed: ByteView) throws(BullaError) {
        if staged + 8 + sealed.byteCount > Self.stagingByteCount { try writeStaged() }
        staging.bytes.store(number, at: staged)
        staging.bytes.copy(sealed, to: staged + 8)
        staged += 8 + sealed.byteCount
        count += 1
        if count % 1024 == 0 { try progress?(completed) }
    }

    private var completed: TaskProgress {
        let total = record.liveCount(core.parts.header.format)
        return TaskProgress(completed: count, total: since == nil ? Int(clamping: total) : nil)
    }

    /// Writes the end, and then the head, without which the file is no backup.
    ///
    /// - Returns: what the head says.
    mutating func finish() throws(BullaError) -> (since: Anchor?, pageCount: Int) {
        if staged + 8 > Self.stagingByteCount { try writeStaged() }
        staging.bytes.store(UInt64(0), at: staged)
        staged += 8
        try writeStaged()
        try writePreamble()
        let head = staging.bytes.slice(0, Int(BackupField.preambleOffset))
        head.fill(0, head.byteCount)
        // If the store was re-encrypted after the moment `since`, the backup holds every page, and
        // cannot be added to an earlier backup. So a backup that holds every page counts as whole.
        let since = record.fillsWholeBackup(pageCount: count, core.parts) ? nil : since
        BackupHead(core.parts.header.format, since: since, pageCount: UInt64(count)).write(head)
        try file.write(head.view, at: 0)
        try file.flush()
        try progress?(completed)
        return (since, count)
    }

    private mutating func writeStaged() throws(BullaError) {
        try file.write(staging.bytes.view.slice(0, staged), at: position)
        position += UInt64(staged)
        staged = 0
    }

    /// Writes the store's header and keyring as they are, with meta slots that both name this
    /// commit.
    private func writePreamble() throws(BullaError) {
        let preamble = staging.bytes.slice(0, PageFormat.preambleByteCount)
        var record = record
        // If the checkpoint still names the same keyring after the read, the read got a whole copy
        // of it.
        repeat {
            record.keyringGeneration = try generation()
            try core.parts.file.read(preamble, at: 0)
        } while record.keyringGeneration != (try generation())
        try record.writeConfirmed(into: preamble, core.parts)
        try file.write(preamble.view, at: BackupField.preambleOffset)
    }

    private func generation() throws(BullaError) -> UInt64 {
        try core.board.checkpoint().keyringGeneration
    }
}

extension CommitRecord {
    /// Whether the store has ever been re-encrypted, and a backup of `count` pages holds all of
    /// this commit.
    fileprivate func fillsWholeBackup(pageCount count: Int, _ parts: StoreParts) -> Bool {
        guard let secret = parts.ciphers.secret, secret.all.firstEpoch > 1 else { return false }
        return UInt64(count) == liveCount(parts.header.format)
    }

    /// Writes this record into both meta slots of a preamble, so that recovery finds it in either.
    func writeConfirmed(
        into preamble: MutableByteView, _ parts: StoreParts
    ) throws(BullaError) {
        let hmac = try parts.ciphers.metaAuthentication(epoch: keyEpoch)
        var record = self
        record.lastDurable = commit
        // A copy cannot know how many pages the store has sealed since it wrote this record, so the
        // copy counts all pages that the record reserves.
        record.sealedCount = max(sealedCount, reservedCount)
        for slot in 0..<MetaPage.slotCount {
            record.metaSlot = UInt64(slot)
            let offset = PageFormat.metaOffset + slot * PageFormat.copyDistance
            try MetaPage.write(
                record, slot: slot, header: parts.header, hmac: hmac,
                into: preamble.slice(offset, MetaField.byteCount))
        }
    }
}
