internal import BullaCipher
internal import BullaMemory
internal import Synchronization

/// The two meta slots of a file, written by whoever has the flush lock or is alone, read by others
/// too.
final class MetaSlots: Sendable {
    private let file: any StorageFile
    private let header: HeaderPage
    private let key: SecretBytes
    private let scratch = ScratchPool(byteCount: 512)
    /// What the slots said last, and by which bytes: the same ones need not be verified again.
    private let known = Mutex([Known?](repeating: nil, count: MetaPage.slotCount))

    private struct Known {
        let bytes: [UInt8]
        let record: CommitRecord?
    }

    init(_ store: StoreParts) throws(BullaError) {
        file = store.file
        header = store.header
        key = try store.ciphers.metaKey()
    }

    /// Writes a record into the slot that it names.
    func write(_ record: CommitRecord) throws(BullaError) {
        try scratch.lend { buffer throws(BullaError) in
            let slot = Int(record.metaSlot)
            try MetaPage.write(record, slot: slot, header: header, key: key, into: buffer)
            let bytes = buffer.view.slice(0, MetaField.byteCount)
            try file.write(bytes, at: MetaPage.offset(slot: slot))
            remember(bytes, slot, record)
        }
    }

    /// What a slot says; `nil` where its bytes are not what was written there.
    func read(slot: Int) throws(BullaError) -> CommitRecord? {
        try scratch.lend { buffer throws(BullaError) -> CommitRecord? in
            let bytes = buffer.slice(0, MetaField.byteCount)
            try file.read(bytes, at: MetaPage.offset(slot: slot))
            if let known = known(bytes.view, slot) { return known.record }
            let record = try read(bytes.view, slot: slot)
            remember(bytes.view, slot, record)
            return record
        }
    }

    private func remember(_ bytes: ByteView, _ slot: Int, _ record: CommitRecord?) {
        let copy = Known(bytes: bytes.copied(), record: record)
        known.withLock { $0[slot] = copy }
    }

    private func known(_ bytes: ByteView, _ slot: Int) -> Known? {
        guard let known = known.withLock({ $0[slot] }),
            known.bytes.withView({ $0.compare(bytes) == 0 })
        else { return nil }
        return known
    }

    /// What the bytes of a slot say, wherever they come from.
    func read(_ bytes: ByteView, slot: Int) throws(BullaError) -> CommitRecord? {
        let record = try MetaPage.read(bytes, slot: slot, header: header, key: key)
        guard let record, record.isPlausible(header.format) else { return nil }
        return record
    }

    /// What the slots say, the newest first.
    func readAll() throws(BullaError) -> [CommitRecord] {
        var records: [CommitRecord] = []
        for slot in 0..<MetaPage.slotCount {
            if let record = try read(slot: slot) { records.append(record) }
        }
        return records.sorted { $0.flush > $1.flush }
    }
}
