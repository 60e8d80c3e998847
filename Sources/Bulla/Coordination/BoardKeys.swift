internal import BullaCipher
internal import BullaMemory
internal import Synchronization

/// Seals and opens the records of one world's *board*: the part of its coordination file that holds
/// sealed records.
///
/// Each record is sealed as a small page, under keys that are used for nothing else.
final class BoardKeys: Sendable {
    private let binding: [UInt8]
    private let path: String
    private let store: StoreParts
    /// Ciphers that this process has derived, at most four.
    private let knownEras = Mutex<[Era: PageCipher]>([:])
    private let scratch = ScratchPool(byteCount: WorldLayout.cellByteCount * 2)

    init(_ world: World, _ store: StoreParts) {
        binding = world.binding
        path = world.path
        self.store = store
    }

    /// What identifies the key that seals a record.
    private struct Era: Hashable {
        let number: UInt64
        /// The first key epoch of the newest master secret that this process knows.
        let firstEpoch: UInt64
        /// Whether the key comes from the former master secret.
        let isFormer: Bool
    }

    /// The cipher of a record's era.
    ///
    /// - Parameters:
    ///   - epoch: any key epoch of the master secret from which the key is derived; 0 selects the
    ///     former secret.
    private func cipher(_ sequence: UInt64, epoch: UInt64) throws(BullaError) -> PageCipher {
        let first = store.ciphers.secret?.all.firstEpoch ?? 0
        let number = BoardCell.era(sequence)
        let era = Era(number: number, firstEpoch: first, isFormer: epoch < first)
        if let cipher = knownEras.withLock({ $0[era] }) { return cipher }
        let cipher = try store.ciphers.boardCipher(
            world: binding + number.littleEndianBytes,
            pageByteCount: BoardCell.sealedByteCount, epoch: epoch)
        knownEras.withLock { known in
            // Each kind of record uses one era at a time, so a few ciphers are enough. A forged
            // sequence number can name any era, so do not keep a cipher for each.
            if known.count >= 4 { known.removeAll() }
            known[era] = cipher
            invariant(known.count <= 4, "at most four ciphers are kept")
        }
        return cipher
    }

    /// Forgets all keys after a secret was discarded, because the next secret can begin with the
    /// same key epoch, and would otherwise be taken for the discarded one.
    func forget() { knownEras.withLock { $0.removeAll() } }

    /// Wipes the keys and buffers.
    ///
    /// Call it when no thread seals or opens records any more.
    func end() {
        let ciphers = knownEras.withLock { known in
            defer { known.removeAll() }
            return known
        }
        for cipher in ciphers.values { cipher.end() }
        scratch.wipe()
    }

    /// Adopts a newer master secret if another process has put one into use; returns whether there
    /// was one.
    func takeUpSuccessor() throws(BullaError) -> Bool { try store.takeUpSuccessor() }

    /// Seals a record, and lends the sealed bytes to `body`.
    ///
    /// The record is sealed in private memory, because the cipher reads back what it has written,
    /// and other processes can write to shared memory.
    func seal<Record: BoardRecord>(
        _ record: Record, _ cell: BoardCell, _ body: (ByteView) throws(BullaError) -> Void
    ) throws(BullaError) {
        let sequence = record.sequence
        try scratch.lend { buffer throws(BullaError) in
            let plain = buffer.slice(0, BoardCell.contentByteCount)
            record.write(plain, at: 0)
            let sealed = buffer.slice(WorldLayout.cellByteCount, BoardCell.sealedByteCount)
            let cipher = try cipher(sequence, epoch: record.sealEpoch)
            do throws(CipherError) {
                try cipher.seal(plain.view, into: sealed, context: cell.context(sequence))
            } catch { throw BullaError.cipher("seal a record of \(path)", error) }
            try body(sealed.view)
        }
    }

    /// Reads the record in a cell; `nil` if the cell does not hold the record that was posted under
    /// `sequence`.
    ///
    /// - Parameters:
    ///   - shared: the cell, to which other processes may be writing.
    func open<Record: BoardRecord>(
        _ shared: ByteView, _ cell: BoardCell, _ sequence: UInt64
    ) throws(BullaError) -> Record? {
        try scratch.lend { buffer throws(BullaError) -> Record? in
            buffer.copy(shared, to: 0)
            let sealed = buffer.view.slice(0, BoardCell.sealedByteCount)
            let target = buffer.slice(WorldLayout.cellByteCount, BoardCell.contentByteCount)
            guard try opens(sealed, cell, sequence, into: target) else { return nil }
            let record = Record(target.view, at: 0)
            let isTrue =
                record.sequence == sequence && record.isPlausible(store.header.format)
            return isTrue ? record : nil
        }
    }

    /// Opens a record under this process's newest secret, or else under the former secret.
    private func opens(
        _ sealed: ByteView, _ cell: BoardCell, _ sequence: UInt64, into target: MutableByteView
    ) throws(BullaError) -> Bool {
        let secrets = store.ciphers.secret
        let context = cell.context(sequence)
        let newest = try cipher(sequence, epoch: secrets?.all.firstEpoch ?? 0)
        if newest.opens(sealed, context, into: target) { return true }
        guard let secrets, secrets.all.has(0), secrets.all.firstEpoch > 0 else { return false }
        return try cipher(sequence, epoch: 0).opens(sealed, context, into: target)
    }
}

extension PageCipher {
    /// Opens a record; returns `false` if the bytes are not those that were posted.
    fileprivate func opens(
        _ sealed: ByteView, _ context: PageContext, into target: MutableByteView
    ) -> Bool {
        do throws(CipherError) {
            // For a page, the check comes from the pointer to it, and tells the page's versions
            // apart. For a record, the sequence number in the context tells the versions apart, so
            // use the check that the record itself contains.
            let check = PageCipher.check(of: sealed)
            try open(sealed, into: target, context: context, check: check)
            return true
        } catch { return false }
    }
}
