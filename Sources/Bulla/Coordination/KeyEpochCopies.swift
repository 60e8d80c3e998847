internal import BullaCipher
internal import BullaMemory

/// The two copies of the table of key epochs in a file.
///
/// Only a store that is encrypted, and whose history forked, has the table: the epochs of another
/// are all of its one history. It changes only where history forks, under the hands of an opener
/// that is alone, or in a store that nobody can open yet.
///
///     step       what a crash after it leaves
///     first      a copy with a span that no commit names, which the next fork leaves out
///     flush      the same, for certain
///     second     the same in both, with the commit or without it
///     commit     the fork
struct KeyEpochCopies {
    private let parts: StoreParts

    init(_ parts: StoreParts) { self.parts = parts }

    static let count = 2

    private static func offset(_ index: Int) -> UInt64 {
        UInt64(PageFormat.keyEpochsOffset + index * PageFormat.copyDistance)
    }

    /// Whether the commit's epochs are told by the table.
    private func hasTable(_ record: CommitRecord) -> Bool {
        parts.ciphers.secret != nil && record.isOfFork
    }

    /// The epochs that lead to a commit, and which copy names them.
    ///
    /// - Throws: `corrupted` where neither copy does.
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

    /// What one copy says of the epochs that lead to a commit; `nil` where it is damaged, or older.
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

    /// A table may have been written under the former secret.
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

    /// Which copies do not tell what leads to a commit.
    func damaged(for record: CommitRecord) throws(BullaError) -> [Int] {
        var damaged: [Int] = []
        guard hasTable(record) else { return damaged }
        for index in 0..<Self.count where try read(index, for: record) == nil {
            damaged.append(index)
        }
        return damaged
    }

    /// Begins a key epoch for a history that has just forked, and makes one copy that names it
    /// durable: the other is written by ``mend(for:)``, with the commit.
    ///
    /// - Parameters:
    ///   - former: the commit as the history that it forked from has it.
    /// - Returns: the fork as it is to be written. Where the table is full, it goes on in the key
    ///   epoch that it had.
    func begin(
        _ fork: CommitRecord, from former: CommitRecord
    ) throws(BullaError) -> CommitRecord {
        guard parts.ciphers.secret != nil else { return fork }
        let (known, index) = try find(former)
        if hasTable(former) {
            // Again, as it was found: the page cache may show what a failed flush never brought to
            // the disk, and the other copy is about to be written over.
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
    /// The disk has them after a flush. One that is whole gets the bytes that it has: what is read
    /// of it may be in the page cache alone.
    func mend(for record: CommitRecord) throws(BullaError) {
        guard hasTable(record) else { return }
        let epochs = try find(record).epochs
        for index in 0..<Self.count { try write(epochs, index, epoch: record.keyEpoch) }
    }

    /// Writes both copies anew under the secret of the commit's key epoch: first the one, then,
    /// once the disk has it, the other.
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
    /// Opens and seals pages from here on as the commit's history does.
    ///
    /// - Throws: `corrupted` where the table of key epochs does not lead to it.
    func useKeys(of record: CommitRecord) throws(BullaError) {
        guard ciphers.secret != nil else { return }
        ciphers.use(try KeyEpochCopies(self).find(record).epochs)
    }
}
