package import BullaCipher
internal import BullaMemory

/// Two slots of the preamble that say how far the log was durable.
///
/// Recovery must reach the newest mark, so it notices a log that was cut short before that mark.
/// The two slots lie in different blocks, far from each other, and are written alternately. The
/// writer of a mark holds the flush lock, and marks only what has been posted as durable.
package struct LogMarks: ~Copyable {
    static let magic: UInt64 = 0x6B72_6D41_4C4C_5542
    package static let slotCount = 2
    /// Where the first slot lies; the other is ``PageFormat/copyDistance`` bytes after it.
    package static let firstOffset = UInt64(PageFormat.markOffset)

    private let file: any StorageFile
    private let header: HeaderPage
    private let history: Identifier
    private let keys: @Sendable () throws(BullaError) -> [HMAC]
    /// The last mark that this value has written and flushed.
    private var flushed: LogPosition?

    /// - Parameter keys: the keys that authenticate meta slots: first the one of the key epoch in
    ///   use, then the one of a succeeding or former secret, if there is one.
    package init(
        _ file: any StorageFile, header: HeaderPage, history: Identifier,
        keys: @escaping @Sendable () throws(BullaError) -> [HMAC]
    ) {
        self.file = file
        self.header = header
        self.history = history
        self.keys = keys
    }

    package static func offset(slot: Int) -> UInt64 {
        firstOffset + UInt64(slot * PageFormat.copyDistance)
    }

    /// Reads the mark in each slot; `nil` for a slot whose bytes are not what was written there.
    package func read() throws(BullaError) -> [LogPosition?] {
        try MutableByteView.withTemporary(byteCount: LogMarkField.byteCount) {
            bytes throws(BullaError) in
            var found: [LogPosition?] = []
            let keys = try keys()
            for slot in 0..<Self.slotCount {
                try file.read(bytes, at: Self.offset(slot: slot))
                found.append(try parsed(bytes.view, slot, keys))
            }
            return found
        }
    }

    /// The newest mark; `nil` if neither slot verifies, which is damage.
    package func newest() throws(BullaError) -> LogPosition? {
        try read().compactMap { $0 }.max { $0.commit < $1.commit }
    }

    /// Writes both slots of a new file or a new history; the caller flushes them.
    package func make(_ position: LogPosition) throws(BullaError) {
        for slot in 0..<Self.slotCount { try write(position, slot) }
    }

    /// Marks how far the log is durable, unless that is marked already.
    ///
    /// The newest mark may be only in the page cache if its writer died. So a leader that did not
    /// flush that mark itself writes and flushes it again before it overwrites the other mark.
    /// Otherwise a power loss could tear both.
    ///
    /// - Parameter handle: the leader's own handle.
    /// - Throws: `io`, `full`: then the caller must poison the log.
    package mutating func write(
        _ position: LogPosition, through handle: any FlushHandle
    ) throws(BullaError) {
        let found = try read()
        let commits = found.map { $0?.commit ?? 0 }
        let newest = commits[0] >= commits[1] ? 0 : 1
        let isKnown = found[newest] != nil
        guard position.commit > commits[newest] || !isKnown else { return }
        if let mark = found[newest], mark != flushed {
            try write(mark, newest)
            try flush(newest, handle)
        }
        let slot = isKnown ? 1 - newest : newest
        invariant(
            found[slot].map { $0.commit < position.commit } ?? true,
            "the newest mark is never written over")
        try write(position, slot)
        try flush(slot, handle)
        flushed = position
    }

    /// Writes the newer mark into both slots, under the secret of the key epoch in use: first into
    /// one and, once the disk has that one, into the other.
    ///
    /// The caller holds the flush lock.
    ///
    /// - Throws: `io`, `full`: then the caller must poison the log.
    package mutating func renew(through handle: any FlushHandle) throws(BullaError) {
        guard let newest = try newest() else { return }
        for slot in 0..<Self.slotCount {
            try write(newest, slot)
            try flush(slot, handle)
        }
        flushed = newest
    }

    private func flush(_ slot: Int, _ handle: any FlushHandle) throws(BullaError) {
        try handle.flush(
            at: Self.offset(slot: slot), byteCount: UInt64(LogMarkField.byteCount))
    }

    private func write(_ position: LogPosition, _ slot: Int) throws(BullaError) {
        invariant(0..<Self.slotCount ~= slot, "there are two marks")
        try MutableByteView.withTemporary(byteCount: LogMarkField.byteCount) {
            bytes throws(BullaError) in
            bytes.store(Self.magic, at: LogMarkField.magic.offset)
            bytes.store(PageFormat.version, at: LogMarkField.formatVersion.offset)
            bytes.store(UInt16(slot), at: LogMarkField.slot.offset)
            bytes.store(UInt32(0), at: LogMarkField.reserved.offset)
            history.write(bytes, at: LogMarkField.history.offset)
            position.write(bytes, at: LogMarkField.commit.offset)
            guard let key = try keys().first else {
                preconditionFailure("a mark lies under some key")
            }
            try authenticator(bytes.view, key)
                .store(in: bytes, at: LogMarkField.authenticator.offset)
            try file.write(bytes.view, at: Self.offset(slot: slot))
        }
    }

    private func parsed(
        _ bytes: ByteView, _ slot: Int, _ keys: [HMAC]
    ) throws(BullaError) -> LogPosition? {
        func word(_ field: LogMarkField) -> UInt64 { bytes.load(UInt64.self, at: field.offset) }
        let stored = Digest(
            bytes.slice(LogMarkField.authenticator.offset, Digest.byteCount))
        guard word(.magic) == Self.magic,
            bytes.load(UInt16.self, at: LogMarkField.formatVersion.offset)
                == UInt16(PageFormat.version),
            bytes.load(UInt32.self, at: LogMarkField.reserved.offset) == 0,
            bytes.load(UInt16.self, at: LogMarkField.slot.offset) == UInt16(slot),
            Identifier(bytes, at: LogMarkField.history.offset) == history
        else { return nil }
        for key in keys where try authenticator(bytes, key).equals(stored) {
            return LogPosition(bytes, at: LogMarkField.commit.offset)
        }
        return nil
    }

    private func authenticator(
        _ bytes: ByteView, _ key: HMAC
    ) throws(BullaError) -> Digest {
        do throws(CipherError) {
            return try header.digest.bytes.withView { digest throws(CipherError) in
                try key.digest(
                    of: [digest, bytes.slice(0, LogMarkField.authenticator.offset)])
            }
        } catch { throw BullaError.cipher("authenticate a mark of the log", error) }
    }
}
