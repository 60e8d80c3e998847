internal import BullaCipher
internal import BullaMemory

/// A store that a check or a salvage examines without writing a byte to it.
///
/// If other processes have the store open, the inspection joins them as a reader. If none has, and
/// the store was closed cleanly, the inspection opens it for reading, so others can open it, too.
/// Otherwise, or if no coordination file can be made, the inspection recovers nothing, and keeps
/// writers out: a process that wants to write waits, and if it gives up, its error says why.
final class StoreInspection {
    let parts: StoreParts
    let pager: Pager
    /// The records of the meta slots, the newest first; if the store is in use or was closed
    /// cleanly, only the record of its newest checkpoint.
    let records: [CommitRecord]
    /// The defects outside the trees: in the header, the keys, the meta slots and the log.
    private(set) var defects: [StoreDefect] = []
    /// A handle on a store that is in use or was closed cleanly, and a snapshot of it, which keeps
    /// writers from reusing the pages that the snapshot sees.
    private let living: (store: Store, snapshot: TreeAccess)?
    /// The log from the newest record on, if there is no handle on the store.
    private var log: InspectedLog?

    /// - Parameters:
    ///   - timeout: how long to wait for a process that is opening or closing the store.
    init(
        _ path: String, _ key: StoreKey?, _ storage: any StorageSystem, timeout: Duration
    ) throws(BullaError) {
        let path = try storage.resolve(path)
        let options = StoreOptions(creation: .never, access: .readOnly, lockTimeout: timeout)
        let opening = StoreOpening(path: path, key: key, options: options, storage: storage)
        let (parts, joined) = try Self.hold(opening, timeout)
        self.parts = parts
        if let joined {
            living = (joined.store, joined.pinned.snapshot)
            pager = joined.store.core.pager
            records = [joined.pinned.record]
        } else {
            living = nil
            pager = try Pager(file: parts.file, ciphers: parts.ciphers, cacheByteLimit: 1 << 20)
            records = try MetaSlots(parts).readAll()
            if let newest = records.first { try parts.keyring?.check(newest, path: path) }
        }
        try examinePreamble(key)
        try examineKeyEpochs()
        try examineLog()
    }

    /// Opens the store's file, and joins the store if possible.
    ///
    /// It joins the processes that have the store open. If there are none, and the store was closed
    /// cleanly, it opens the store for reading. In any other case it keeps others from recovering
    /// the store.
    private static func hold(
        _ opening: StoreOpening, _ timeout: Duration
    ) throws(BullaError) -> (parts: StoreParts, joined: (store: Store, pinned: PinnedRecord)?) {
        func pin(_ core: StoreCore?) throws(BullaError) -> (store: Store, pinned: PinnedRecord)? {
            guard let core else { return nil }
            return (Store(core), try PinnedRecord(core))
        }
        let deadline = ContinuousClock.now + timeout
        while true {
            let parts = try opening.openParts(.reading)
            if let joined = try pin(opening.takePartIfClean()) { return (parts, joined) }
            // While this lock is held, no opener has the store to itself, so none recovers it.
            if try parts.file.lock(LockByte.presence, .shared),
                try parts.keyring?.isUnchanged(in: parts.file) ?? true
            {
                guard try isInUse(parts) else {
                    _ = try parts.file.lock(LockByte.checking, .shared)
                    return (parts, nil)
                }
                // The result is `nil` while the last processes are closing the store; in that case,
                // try again.
                if let joined = try pin(opening.takePart()) { return (parts, joined) }
            }
            guard ContinuousClock.now < deadline else {
                let reason = try Occupancy(opening.path, opening.storage).reason()
                throw BullaError(.busy, "inspect \(opening.path): \(reason); waited \(timeout)")
            }
            Pause.brief()
        }
    }

    deinit {
        // Close the store now: if a task merely releases it, it is closed later.
        try? living?.store.close()
        parts.file.close()
    }

    /// Checks the newest commit.
    ///
    /// - Parameters:
    ///   - sink: takes each verified entry.
    /// - Throws: what `progress` throws; any error because of which the check cannot be carried
    ///   out; `snapshotExpired` if writers of a store in use ended the check's snapshot meanwhile.
    func check(
        progress: ProgressReport?, sink: (any EntrySink)? = nil
    ) throws(BullaError) -> CheckReport {
        guard let newest = records.first else {
            var report = CheckReport()
            report.defects = defects
            return report
        }
        let record = log?.record ?? newest
        // The handle, if there is one, has the keys already, and learns of new ones.
        if living == nil { try parts.useKeys(of: record) }
        var check = try StoreCheck(pager, record, progress: progress, sink: sink)
        if let living {
            try check.run(over: living.snapshot)
        } else {
            try check.run()
            if let changes { try check.count(changes, commit: log?.view.commit ?? record.commit) }
        }
        var report = check.report
        report.defects = defects + report.defects
        return report
    }

    /// What the log adds to the pages that are checked; `nil` if there is no log to read.
    var changes: MemtablePair? {
        if let living { return living.snapshot.logged }
        return log?.view.pair
    }

    /// Greater than the number of every tree in the pages that are checked.
    var nextStoredTree: UInt64 { log?.record.nextTree ?? records.first?.nextTree ?? 0 }

    /// The number that the next new tree gets.
    var nextTree: UInt64 {
        let known = living?.snapshot.nextTree ?? log?.view.nextTree ?? 0
        return max(known, nextStoredTree)
    }

    /// The parts that have the newest secret: those of the handle, if there is one, because a
    /// handle learns of new secrets.
    private var informedParts: StoreParts { living?.store.core.parts ?? parts }

    /// Checks both marks of the log, and reads the log if there is no handle on the store.
    private func examineLog() throws(BullaError) {
        guard let newest = records.first else { return }
        let parts = try LogParts(informedParts, newest)
        for slot in 0..<LogMarks.slotCount where try !hasMark(slot, parts, newest) {
            note(.log, "mark \(slot) of the log is not what was written")
        }
        guard living == nil else { return }
        do throws(BullaError) { log = try InspectedLog(self.parts, newest) } catch {
            guard error.code == .corrupted else { throw error }
            return note(.log, error.message)
        }
        for defect in log?.defects ?? [] { note(.log, defect) }
    }

    /// Whether a mark of the log is what was written.
    ///
    /// This function reads a bad mark again a few times, because another process may be writing it.
    private func hasMark(
        _ slot: Int, _ parts: LogParts, _ record: CommitRecord
    ) throws(BullaError) -> Bool {
        let marks = parts.marks(keyEpoch: record.keyEpoch)
        for _ in 0..<Self.lookLimit {
            if try marks.read()[slot] != nil { return true }
            Pause.brief()
        }
        return false
    }

    /// Whether a process has the store open with the coordination file next to the store.
    ///
    /// - Throws: `busy` if a process has the store open with another coordination file.
    private static func isInUse(_ parts: StoreParts) throws(BullaError) -> Bool {
        // The first check looks for any world, the second one for the world next to the store.
        // Between the two, the last process can close the store, and another can open it. So check
        // a few times.
        for _ in 0..<lookLimit {
            guard try parts.file.isLocked(LockByte.worlds, against: .exclusive) else {
                return false
            }
            if try isWorldAlive(parts) { return true }
            Pause.brief()
        }
        throw BullaError(
            .busy,
            "inspect \(parts.path): it is in use, but not with the coordination file beside it: it "
                + "was opened under another name of the file (a hard link), or that file was "
                + "deleted or replaced")
    }

    private static let lookLimit = 3

    private static func isWorldAlive(_ parts: StoreParts) throws(BullaError) -> Bool {
        do throws(BullaError) {
            guard let world = try World.find(parts) else { return false }
            return try parts.file.isLocked(world.lockByte, against: .exclusive)
        } catch {
            // Finding a world opens the coordination file for writing. On a read-only medium this
            // fails, and there is no world to join.
            guard error.errno == Self.readOnlyFileSystem else { throw error }
            return false
        }
    }

    /// EROFS.
    private static let readOnlyFileSystem: Int32 = 30

    /// Checks both copies of the header and the keyring, and both meta slots.
    private func examinePreamble(_ key: StoreKey?) throws(BullaError) {
        let preamble = try Buffer.make(PageFormat.preambleByteCount)
        try parts.file.read(preamble.bytes.slice(0, PageFormat.preambleByteCount), at: 0)
        for slot in 0..<MetaPage.slotCount {
            let copy = preamble.bytes.view.slice(
                slot * PageFormat.copyDistance, PageFormat.copyDistance)
            let header = try? HeaderPage.read(copy, of: parts.path)
            if header?.digest.equals(parts.header.digest) != true {
                note(.header, "copy \(slot) of the header is not what was written")
            }
            if let key, try !hasKeyring(slot, copy, key) {
                note(
                    .keyring,
                    "copy \(slot) of the keyring is not what was written, or a change of the key "
                        + "was cut short")
            }
            let meta = copy.slice(PageFormat.metaOffset, MetaField.byteCount)
            // If the store is in use, a writer may be in the middle of writing a slot, so do not
            // look.
            if living == nil, try MetaSlots(parts).read(meta, slot: slot) == nil {
                note(.meta, "meta slot \(slot) is not what was written, or was being written")
            }
        }
    }

    /// Checks both copies of the table of key epochs, if the store's history has forked.
    private func examineKeyEpochs() throws(BullaError) {
        guard let newest = records.first else { return }
        for copy in try KeyEpochCopies(informedParts).damaged(for: newest) {
            note(
                .keyEpochs,
                "copy \(copy) of the table of key epochs is not what was written for commit "
                    + "\(newest.commit)")
        }
    }

    /// Whether a copy of the keyring is what was written.
    ///
    /// If the store is in use, this function reads a bad copy again a few times, because another
    /// process may be writing it.
    private func hasKeyring(
        _ slot: Int, _ preamble: ByteView, _ key: StoreKey
    ) throws(BullaError) -> Bool {
        if opensKeyring(preamble, key) { return true }
        guard living != nil else { return false }
        let buffer = try Buffer.make(PageFormat.copyDistance)
        let copy = buffer.bytes.slice(0, PageFormat.copyDistance)
        for _ in 0..<Self.lookLimit {
            Pause.brief()
            try parts.file.read(copy, at: UInt64(slot * PageFormat.copyDistance))
            if opensKeyring(copy.view, key) { return true }
        }
        return false
    }

    private func opensKeyring(_ preamble: ByteView, _ key: StoreKey) -> Bool {
        let copy = preamble.slice(PageFormat.keyringOffset, Keyring.copyByteCount)
        do throws(KeyringError) {
            _ = try Keyring.open(
                copies: [copy], userKey: key,
                fileIdentifier: parts.header.fileIdentifier, headerDigest: parts.header.digest)
            return true
        } catch { return false }
    }

    private func note(_ kind: StoreDefect.Kind, _ message: String) {
        defects.append(defect(kind, message))
    }

    /// A defect outside of the pages.
    func defect(_ kind: StoreDefect.Kind, _ message: String) -> StoreDefect {
        StoreDefect(
            kind: kind, page: 0, commit: 0, treeName: nil, lostFrom: nil, lostUpTo: nil,
            message: "\(parts.path): \(message)")
    }
}
