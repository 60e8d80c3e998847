internal import BullaCipher
internal import BullaMemory

/// The two copies of the table of key epochs in a file.
///
/// A store has the table only if it is encrypted and its history has forked, for example in a
/// restore. In any other store, all epochs belong to one history. The table changes only when
/// history forks: the process that restores a store writes the table, before any other process can
/// open that store. If a crash or damage may have harmed a copy, an opener that is alone with the
/// store writes the same table again. A re-encryption writes the same table too, under the new
/// secret. A *span* of the table is the epochs of one history.
///
///     step       state if a crash follows
///     first      a copy with a span that no commit names; the next fork leaves that span out
///     flush      the same copy, certainly on the disk
///     second     the same span in both copies, with the commit or without it
///     commit     the fork
struct KeyEpochCopies {
    private let parts: StoreParts

    init(_ parts: StoreParts) { self.parts = parts }

    static let count = 2

    private static func offset(_ index: Int) -> UInt64 {
        UInt64(PageFormat.keyEpochsOffset + index * PageFormat.copyDistance)
    }

    /// Whether the store has the table; if it does, the table says which epochs lead to a commit.
    private func hasTable(_ record: CommitRecord) -> Bool {
        parts.ciphers.secret != nil && record.isOfFork
    }

    /// The epochs that lead to a commit, and the copy that names them.
    ///
    /// Without a table, the copy is 1, so that ``begin(_:from:)`` writes copy 0.
    ///
    /// - Throws: `corrupted` if neither copy names them.
    func find(_ record: CommitRecord) throws(BullaError) -> (epochs: KeyEpochs, index: Int) {
        guard hasTable(record) else { return (KeyEpochs(of: record.keyHistory), 1) }
        for index in 0..<Self.count {
            if let epochs = try read(index, for: record) { return (epochs, index) }
        }
        throw BullaError(
            .corrupted,
            "open \(parts.path): neither copy of the table of key epochs is what was written for "
                + "commit \(record.commit)", commit: record.commit)
    }

    /// The epochs that lead to a commit, according to one copy; `nil` if the copy is damaged, or
    /// does not name the commit's history.
    private func read(
        _ index: Int, for record: CommitRecord
    ) throws(BullaError) -> KeyEpochs? {
        let buffer = try Buffer.make(KeyEpochTable.byteLimit)
        let copy = buffer.bytes.slice(0, KeyEpochTable.byteLimit)
        try parts.file.read(copy, at: Self.offset(index))
        for hmac in try authentications() {
            let epochs = try KeyEpochTable.read(copy.view, parts.header, hmac)
            if let epochs { return epochs.upTo(record.keyHistory) }
        }
        return nil
    }

    /// The authentications to try: one for each known secret, because the table may have been
    /// written under the former secret.
    private func authentications() throws(BullaError) -> [HMAC] {
        guard let secrets = parts.ciphers.secret else { return [] }
        let epochs = [secrets.all.firstEpoch, 0].filter { secrets.all.has($0) }
        return try epochs.map { epoch throws(BullaError) in
            try parts.ciphers.metaAuthentication(epoch: epoch)
        }
    }

    /// - Parameters:
    ///   - epoch: the key epoch of the commit that the table is written for.
    private func write(
        _ epochs: KeyEpochs, _ index: Int, epoch: UInt64
    ) throws(BullaError) {
        invariant(0..<Self.count ~= index, "the table of key epochs has two copies")
        let hmac = try parts.ciphers.metaAuthentication(epoch: epoch)
        let buffer = try Buffer.make(KeyEpochTable.byteLimit)
        let count = try KeyEpochTable.write(epochs, parts.header, hmac, into: buffer.bytes)
        try parts.file.write(buffer.bytes.view.slice(0, count), at: Self.offset(index))
    }

    /// The copies that do not say which epochs lead to a commit.
    func damaged(for record: CommitRecord) throws(BullaError) -> [Int] {
        var damaged: [Int] = []
        guard hasTable(record) else { return damaged }
        for index in 0..<Self.count where try read(index, for: record) == nil {
            damaged.append(index)
        }
        return damaged
    }

    /// Begins a key epoch for a history that has just forked, and writes and flushes one copy that
    /// names the epoch.
    ///
    /// ``mend(for:)`` writes the other copy, which goes to the disk together with the commit.
    ///
    /// - Parameters:
    ///   - former: the record of the same commit in the history that was forked.
    /// - Returns: the record of the fork, for the caller to write. It is in the new key epoch or,
    ///   if the table is full, in the epoch that `fork` names.
    func begin(
        _ fork: CommitRecord, from former: CommitRecord
    ) throws(BullaError) -> CommitRecord {
        guard parts.ciphers.secret != nil else { return fork }
        let (known, index) = try find(former)
        if hasTable(former) {
            // Write this copy again as it was found. After a failed flush, it may be only in the
            // page cache, and the other copy is about to be overwritten.
            try write(known, index, epoch: former.keyEpoch)
            try parts.file.flush()
        }
        let next = fork.beginning(epoch: fork.keyEpoch + 1)
        let more = known.adding(next.history, from: next.keyEpoch)
        let record = more == nil ? fork : next
        invariant(record.keyEpoch >= former.keyEpoch, "a fork goes on in no older key epoch")
        try write(more ?? known, (index + 1) % Self.count, epoch: record.keyEpoch)
        try parts.file.flush()
        try parts.useKeys(of: record)
        return record
    }

    /// Writes both copies anew, whatever a crash or damage left of them.
    ///
    /// The caller's next flush brings them to the disk. A whole copy is written again too, because
    /// it may be in the page cache alone.
    func mend(for record: CommitRecord) throws(BullaError) {
        guard hasTable(record) else { return }
        let epochs = try find(record).epochs
        for index in 0..<Self.count { try write(epochs, index, epoch: record.keyEpoch) }
    }

    /// Writes both copies anew under the secret of the commit's key epoch, the second one only when
    /// the first is on the disk.
    func renew(for record: CommitRecord) throws(BullaError) {
        guard hasTable(record) else { return }
        let epochs = try find(record).epochs
        for index in 0..<Self.count {
            try write(epochs, index, epoch: record.keyEpoch)
            try parts.file.flush()
        }
    }
}

extension StoreParts {
    /// Switches to the keys of the commit's history, for all pages that are opened and sealed from
    /// now on.
    ///
    /// - Throws: `corrupted` if the table of key epochs does not lead to the commit.
    func useKeys(of record: CommitRecord) throws(BullaError) {
        guard ciphers.secret != nil else { return }
        ciphers.use(try KeyEpochCopies(self).find(record).epochs)
    }
}
