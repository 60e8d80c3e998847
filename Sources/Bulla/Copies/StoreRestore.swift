internal import BullaCipher
internal import BullaMemory

/// The result of a restore.
public struct RestoreReport: Sendable, Codable {
    /// The commit that the new store holds.
    public let commit: UInt64
    /// How many pages were taken from the backups.
    public let pageCount: Int
    /// Whether the new store seals under data keys of its own from now on.
    ///
    /// It has no such keys if it is plain, or if its history has forked so often that the table of
    /// key epochs is full. In the second case, the new store seals under the same keys as the store
    /// that was backed up. Then anybody with write access to the file of one store can put pages of
    /// the other store into it. `compact` makes a store under new keys.
    public let hasOwnKeys: Bool
}

extension Store {
    /// Makes a store from a whole backup and the incremental ones that follow it.
    ///
    /// The new store is verified page by page before it gets its name, so it appears whole or not
    /// at all. Its history is a new one, which forks from the backed-up store's history.
    ///
    /// - Parameters:
    ///   - backups: the whole one first, then each incremental one, in the order of their commits.
    ///   - path: the new store's path, where no file may exist.
    ///   - key: the key that the store had when the last backup was made.
    ///   - progress: receives the progress in pages, without a total, from time to time, and stops
    ///     the restore by throwing.
    /// - Throws: what `progress` throws; `notAStore` for a file that is not a backup;
    ///   `invalidArgument` for backups that do not follow each other, or if a file exists at
    ///   `path`; `corrupted`; what opening a store throws about keys; `full`, `io`.
    @discardableResult
    public static func restore(
        from backups: [String], to path: String, key: StoreKey? = nil,
        progress: ((TaskProgress) throws(BullaError) -> Void)? = nil
    ) throws(BullaError) -> RestoreReport {
        try restore(from: backups, to: path, key: key, SystemStorage(), progress)
    }

    static func restore(
        from backups: [String], to path: String, key: StoreKey?, _ storage: any StorageSystem,
        _ progress: ProgressReport?
    ) throws(BullaError) -> RestoreReport {
        guard !backups.isEmpty else {
            throw BullaError(.invalidArgument, "restore \(path): no backup was given")
        }
        return try NewFile(path: path, storage: storage).build { name throws(BullaError) in
            let target = try storage.open(name, .creating)
            defer { target.close() }
            var restoring = Restoring(target: target, name: name, key: key, storage, progress)
            // The key may have changed between backups: the last backup's keyring serves them all.
            if let last = backups.last { try restoring.takeKeyring(last) }
            for backup in backups { try restoring.add(backup) }
            return try restoring.finish()
        }
    }
}

/// A store that is put together from backups.
private struct Restoring {
    let target: any StorageFile
    let name: String
    let key: StoreKey?
    let storage: any StorageSystem
    let progress: ProgressReport?
    private var count = 0
    /// The record of the backup that was added last.
    private var former: CommitRecord?
    /// The copies of the keyring in the last backup.
    private var keyring: [[UInt8]] = []

    init(
        target: any StorageFile, name: String, key: StoreKey?, _ storage: any StorageSystem,
        _ progress: ProgressReport?
    ) {
        self.target = target
        self.name = name
        self.key = key
        self.storage = storage
        self.progress = progress
    }

    mutating func takeKeyring(_ path: String) throws(BullaError) {
        let source = try storage.open(path, .reading)
        defer { source.close() }
        _ = try head(of: source)
        for offset in KeyringCopies.offsets {
            let buffer = try Buffer.make(Keyring.copyByteCount)
            let copy = buffer.bytes.slice(0, Keyring.copyByteCount)
            try source.read(copy, at: BackupField.preambleOffset + UInt64(offset))
            keyring.append(copy.view.copied())
        }
    }

    /// Writes a backup's pages over those of the backups before it.
    mutating func add(_ path: String) throws(BullaError) {
        let source = try storage.open(path, .reading)
        defer { source.close() }
        let head = try head(of: source)
        try copyPreamble(source)
        let parts = try openTarget()
        guard parts.header.format.pageByteCount == head.pageByteCount,
            let record = try MetaSlots(parts).readAll().first
        else {
            throw BullaError(.corrupted, "restore \(path): the part before its pages is damaged")
        }
        try check(record, follows: head.since, path)
        try copyPages(source, head, record, parts.header.format)
        former = record
    }

    private func head(of source: any StorageFile) throws(BullaError) -> BackupHead {
        let bytes = try Buffer.make(BackupField.byteCount)
        try source.read(bytes.bytes.slice(0, BackupField.byteCount), at: 0)
        return try BackupHead(bytes.bytes.view, of: source.path)
    }

    private func copyPreamble(_ source: any StorageFile) throws(BullaError) {
        let buffer = try Buffer.make(PageFormat.preambleByteCount)
        let preamble = buffer.bytes.slice(0, PageFormat.preambleByteCount)
        try source.read(preamble, at: BackupField.preambleOffset)
        for (copy, offset) in zip(keyring, KeyringCopies.offsets) {
            copy.withView { preamble.copy($0, to: offset) }
        }
        try target.write(preamble.view, at: 0)
    }

    private func openTarget() throws(BullaError) -> StoreParts {
        try StoreOpening(path: name, key: key, options: StoreOptions(), storage: storage)
            .openParts(.writing)
    }

    /// Checks that a backup begins where the one before it ends.
    private func check(
        _ record: CommitRecord, follows since: BackupHead.Since, _ path: String
    ) throws(BullaError) {
        guard let former else {
            guard since == .nothing else {
                throw BullaError(
                    .invalidArgument,
                    "restore \(path): it has only what came since commit \(since.commit); the "
                        + "backup of that commit has to come before it")
            }
            return
        }
        guard since.commit == former.commit else {
            let what = since == .nothing ? "is whole" : "was made since commit \(since.commit)"
            throw BullaError(
                .invalidArgument,
                "restore \(path): it \(what), but the backup before it stands at commit "
                    + "\(former.commit)")
        }
        // The head is not authenticated, so what it says must also fit the record, which is
        // authenticated.
        guard since.history == former.history.bytes,
            former.history == record.history
                || former.history == record.parentHistory && former.commit <= record.forkCommit
        else {
            throw BullaError(
                .invalidArgument,
                "restore \(path): it was made since commit \(since.commit) of another history "
                    + "than that of the backup before it")
        }
    }

    private mutating func copyPages(
        _ source: any StorageFile, _ head: BackupHead, _ record: CommitRecord, _ format: PageFormat
    ) throws(BullaError) {
        let item = try Buffer.make(8 + format.pageByteCount)
        var position = BackupField.pagesOffset
        for _ in 0..<head.pageCount {
            let bytes = item.bytes.slice(0, 8 + format.pageByteCount)
            try source.read(bytes, at: position)
            let number = bytes.view.load(UInt64.self, at: 0)
            guard number >= format.firstPage, number < record.pageCount else {
                throw BullaError(
                    .corrupted,
                    "restore \(source.path): it holds a page \(number), which its commit does "
                        + "not have", page: number, commit: record.commit)
            }
            try target.write(
                bytes.view.slice(8, format.pageByteCount), at: format.offset(number))
            position += UInt64(bytes.byteCount)
            count += 1
            if count % 1024 == 0 { try progress?(TaskProgress(completed: count)) }
        }
        let end = item.bytes.slice(0, 8)
        try source.read(end, at: position)
        guard end.view.load(UInt64.self, at: 0) == 0 else {
            throw BullaError(.corrupted, "restore \(source.path): it does not end where it says")
        }
    }

    /// Verifies the store, and forks its history.
    func finish() throws(BullaError) -> RestoreReport {
        let parts = try openTarget()
        guard let record = try MetaSlots(parts).readAll().first else {
            throw BullaError(.corrupted, "restore \(name): its meta pages are damaged")
        }
        try parts.keyring?.check(record, path: name)
        try parts.useKeys(of: record)
        try extend(to: parts.header.format.offset(record.pageCount))
        let pager = try Pager(file: parts.file, ciphers: parts.ciphers, cacheByteLimit: 1 << 20)
        var check = try StoreCheck(pager, record, progress: nil)
        try check.run()
        if let defect = check.report.defects.first {
            throw BullaError(
                .corrupted,
                "restore \(name): \(defect.message) (of \(check.report.defects.count) defects)",
                page: defect.page, commit: defect.commit)
        }
        let fork = try fork(record, parts)
        try target.flush()
        try progress?(TaskProgress(completed: count))
        return RestoreReport(
            commit: record.commit, pageCount: count,
            hasOwnKeys: parts.ciphers.secret != nil && fork.keyEpoch != record.keyEpoch)
    }

    /// Forks the history: both meta slots name the commit as the first of a new history.
    private func fork(
        _ record: CommitRecord, _ parts: StoreParts
    ) throws(BullaError) -> CommitRecord {
        let copies = KeyEpochCopies(parts)
        let fork = try copies.begin(
            record.forked(as: try Random.identifier()), from: record)
        try copies.mend(for: fork)
        try LogParts(parts, fork).make(for: fork)
        let buffer = try Buffer.make(PageFormat.preambleByteCount)
        let preamble = buffer.bytes.slice(0, PageFormat.preambleByteCount)
        try target.read(preamble, at: 0)
        try fork.writeConfirmed(into: preamble, parts)
        // Write both copies of the header: one may have been damaged when the backup was made.
        for copy in [0, PageFormat.copyDistance] {
            parts.header.write(preamble.slice(copy, HeaderField.byteCount))
        }
        try target.write(preamble.view, at: 0)
        return fork
    }

    /// Makes the file as long as its commit says; free pages are holes.
    private func extend(to byteCount: UInt64) throws(BullaError) {
        guard try target.byteCount() < byteCount else { return }
        let zero = try Buffer.make(1)
        try target.write(zero.bytes.view.slice(0, 1), at: byteCount - 1)
    }
}
