package import BullaCipher
internal import BullaMemory

/// What a process that opens a store knows of the store's log before it follows the log or appends
/// to it.
package struct LogParts: Sendable {
    let store: StoreParts
    package let log: LogFile
    let keys: LogKeys
    private let history: Identifier

    /// The parts of the log, whose halves lie where the record says.
    init(_ store: StoreParts, _ record: CommitRecord) throws(BullaError) {
        let format = store.header.format
        try self.init(
            store, LogHalf([record.log.even], format), LogHalf([record.log.odd], format),
            history: record.history)
    }

    init(
        _ store: StoreParts, _ first: LogHalf, _ second: LogHalf, history: Identifier
    ) throws(BullaError) {
        self.store = store
        self.history = history
        log = LogFile(store.file, first, second)
        let identity = LogIdentity(
            fileIdentifier: store.header.fileIdentifier, suite: store.header.suite,
            history: history)
        keys = LogKeys(identity, store.ciphers) { () throws(BullaError) in
            try store.takeUpSuccessor()
        }
    }

    /// Makes the parts of a log from the file's header and keys alone, without an open store.
    ///
    /// - Parameter master: `nil` for a plain store.
    package init(
        _ storage: any StorageSystem, _ file: any StorageFile, header: HeaderPage,
        master: consuming MasterSecret?, halves: (LogHalf, LogHalf), history: Identifier
    ) throws(BullaError) {
        var secret: PageCiphers.Secrets?
        if let master = consume master { secret = PageCiphers.Secrets(MasterSecrets(master)) }
        let store = StoreParts(
            path: file.path, storage: storage, file: file, header: header,
            ciphers: PageCiphers(header: header, secret: secret))
        try self.init(store, halves.0, halves.1, history: history)
    }

    /// The marks in the file, which say how far the log is durable; the secret of the key epoch in
    /// use authenticates them.
    func marks(_ start: any LogStart) -> LogMarks {
        marks { () throws(BullaError) in try start.keyEpoch() }
    }

    /// The marks in the file, authenticated by the secret of the given key epoch.
    func marks(keyEpoch: UInt64) -> LogMarks { marks { () throws(BullaError) in keyEpoch } }

    private func marks(
        _ keyEpoch: @escaping @Sendable () throws(BullaError) -> UInt64
    ) -> LogMarks {
        let ciphers = store.ciphers
        return LogMarks(store.file, header: store.header, history: history) {
            () throws(BullaError) in
            try ciphers.markAuthentications(keyEpoch: keyEpoch())
        }
    }

    /// Fills the halves of a new file or a new history, and writes marks of where the log begins;
    /// the caller flushes them.
    func make(for record: CommitRecord) throws(BullaError) {
        for half in [log.half(0), log.half(1)] { try half.fill(store.file) }
        try makeMarks(LogPosition(record), keyEpoch: record.keyEpoch)
    }

    /// Writes both marks of a new file; the caller flushes them.
    package func makeMarks(
        _ position: LogPosition, keyEpoch: UInt64 = 1
    ) throws(BullaError) {
        try marks(keyEpoch: keyEpoch).make(position)
    }
}

/// Tells a log where it begins after the newest checkpoint, and which of its halves are free.
///
/// ``lock()`` keeps both from changing.
package protocol LogStart: Sendable {
    /// The place in the log that the newest checkpoint's record names, where following begins.
    func record() throws(BullaError) -> LogPosition
    /// Tells `log` where its halves lie now.
    func refresh(_ log: LogFile) throws(BullaError)
    /// The key epoch in use.
    func keyEpoch() throws(BullaError) -> UInt64
    /// Takes the lock on the trees, unless the caller has it; until ``unlock()``, no half is
    /// reused.
    ///
    /// - Returns: whether this call took it; if so, the caller must release it.
    /// - Throws: `busy`.
    func lock() throws(BullaError) -> Bool
    func unlock()
    /// The smallest sequence number among the halves that a meta slot or the checkpoint's record
    /// names; older halves are free.
    ///
    /// - Returns: `nil` if no half is free, because a meta slot may still be waiting for its flush,
    ///   or because a slot does not place the halves where the checkpoint's record does.
    func oldestSequence() throws(BullaError) -> UInt64?
}

extension LogStart {
    /// Does nothing; this is for a log that no open store uses, whose halves nobody moves.
    package func refresh(_ log: LogFile) throws(BullaError) {}
}
