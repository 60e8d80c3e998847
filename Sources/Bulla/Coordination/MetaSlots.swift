internal import BullaCipher
internal import BullaMemory

/// The two meta slots of a file, which any thread may read.
///
/// Only the holder of the flush lock, or an opener that is alone, writes them.
final class MetaSlots: Sendable {
    private let store: StoreParts
    private let scratch = ScratchPool(byteCount: 512)

    private var file: any StorageFile { store.file }
    private var header: HeaderPage { store.header }

    init(_ store: StoreParts) { self.store = store }

    func wipe() { scratch.wipe() }

    /// Writes a record into the slot that it names.
    func write(_ record: CommitRecord) throws(BullaError) {
        invariant(record.metaSlot < UInt64(MetaPage.slotCount), "there are two meta slots")
        invariant(record.lastDurable <= record.commit, "what is durable was committed before")
        try scratch.lend { buffer throws(BullaError) in
            let slot = Int(record.metaSlot)
            let hmac = try store.ciphers.metaAuthentication(epoch: record.keyEpoch)
            try MetaPage.write(record, slot: slot, header: header, hmac: hmac, into: buffer)
            let bytes = buffer.view.slice(0, MetaField.byteCount)
            try file.write(bytes, at: MetaPage.offset(slot: slot))
        }
    }

    /// The record of a slot; `nil` if its bytes are not what was written there, or if `isWanted`
    /// rejects what they claim.
    ///
    /// - Parameters:
    ///   - isWanted: whether the claimed record is worth verifying.
    func read(
        slot: Int, where isWanted: (CommitRecord) throws(BullaError) -> Bool
    ) throws(BullaError) -> CommitRecord? {
        try scratch.lend { buffer throws(BullaError) -> CommitRecord? in
            let bytes = buffer.slice(0, MetaField.byteCount)
            try file.read(bytes, at: MetaPage.offset(slot: slot))
            let claim = CommitRecord(bytes.view, at: MetaField.record.offset)
            guard try isWanted(claim) else { return nil }
            return try read(bytes.view, slot: slot)
        }
    }

    /// The record in the bytes of a slot, wherever they come from; `nil` if they do not verify.
    ///
    /// If they do not verify at first, this takes up a newer secret, if there is one, and tries
    /// again.
    func read(_ bytes: ByteView, slot: Int) throws(BullaError) -> CommitRecord? {
        if let record = try verified(bytes, slot) { return record }
        guard store.ciphers.secret != nil, try store.takeUpSuccessor() else { return nil }
        return try verified(bytes, slot)
    }

    private func verified(_ bytes: ByteView, _ slot: Int) throws(BullaError) -> CommitRecord? {
        let claim = CommitRecord(bytes, at: MetaField.record.offset)
        let ciphers = store.ciphers
        if let secret = ciphers.secret, !secret.all.has(claim.keyEpoch) { return nil }
        let hmac = try ciphers.metaAuthentication(epoch: claim.keyEpoch)
        let record = try MetaPage.read(bytes, slot: slot, header: header, hmac: hmac)
        guard let record, record.isPlausible(header.format) else { return nil }
        return record
    }

    /// The records of the slots, the newest first.
    func readAll() throws(BullaError) -> [CommitRecord] {
        try readAll { _ in true }
    }

    /// The newest record that was flushed after `known`; `nil` if there is none.
    func newest(after known: CommitRecord) throws(BullaError) -> CommitRecord? {
        // Skip a record whose key epoch is older than that of `known`. Epochs only grow, so no
        // correct writer flushed it after `known`; a stranger may have forged it under a secret
        // that was replaced.
        try readAll { $0.flush > known.flush && $0.keyEpoch >= known.keyEpoch }.first
    }

    private func readAll(
        where isWanted: (CommitRecord) -> Bool
    ) throws(BullaError) -> [CommitRecord] {
        var records: [CommitRecord] = []
        for slot in 0..<MetaPage.slotCount {
            if let record = try read(slot: slot, where: isWanted) { records.append(record) }
        }
        return records.sorted { $0.flush > $1.flush }
    }
}
