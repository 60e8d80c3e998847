internal import BullaCipher
internal import BullaMemory
internal import Synchronization

/// Seals and opens the records of one world's board, each as a small page under keys of the board's
/// own.
final class BoardKeys: Sendable {
    private let binding: [UInt8]
    private let path: String
    private let store: StoreParts
    /// The ciphers of the eras that this process has met.
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
        /// The first key epoch of the master secret that is known.
        let firstEpoch: UInt64
        /// Whether the key comes from the former master secret.
        let isFormer: Bool
    }

    /// The cipher of a record's era.
    ///
    /// - Parameters:
    ///   - epoch: the key epoch that the record names.
    private func cipher(_ sequence: UInt64, epoch: UInt64) throws(BullaError) -> PageCipher {
        let first = store.ciphers.secret?.all.firstEpoch ?? 0
        let number = BoardCell.era(sequence)
        let era = Era(number: number, firstEpoch: first, isFormer: epoch < first)
        if let cipher = knownEras.withLock({ $0[era] }) { return cipher }
        let cipher = try store.ciphers.boardCipher(
            world: binding + number.littleEndianBytes,
            pageByteCount: BoardCell.sealedByteCount, epoch: epoch)
        knownEras.withLock { known in
            // Commits and flushes are in one era each; a number that somebody scribbled can be of
            // any.
            if known.count >= 4 { known.removeAll() }
            known[era] = cipher
            invariant(known.count <= 4, "the ciphers of few eras are kept")
        }
        return cipher
    }

    /// Forgets keys of a secret that was given up: the next one may begin with the same key epoch.
    func forget() { knownEras.withLock { $0.removeAll() } }

    /// Wipes the keys and buffers.
    ///
    /// To be called when nobody seals or opens.
    func end() {
        let ciphers = knownEras.withLock { known in
            defer { known.removeAll() }
            return known
        }
        for cipher in ciphers.values { cipher.end() }
        scratch.wipe()
    }

    /// Looks for a secret that others may have taken up; whether there is one.
    func takeUpSuccessor() throws(BullaError) -> Bool { try store.takeUpSuccessor() }

    /// Seals a record, and lends it.
    ///
    /// Sealed in private memory: what others can write to must not be read back by the cipher.
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

    /// What a cell holds; `nil` where it is not what was put up under that number.
    ///
    /// - Parameters:
    ///   - shared: the cell, which others may be writing to.
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

    /// Opens a record under the secret of this process, or under the one before it.
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
    /// Opens a record, if it is what was put up.
    fileprivate func opens(
        _ sealed: ByteView, _ context: PageContext, into target: MutableByteView
    ) -> Bool {
        do throws(CipherError) {
            // The sequence in the context stands for the record's version, so the record's own
            // check is passed back in.
            let check = PageCipher.check(of: sealed)
            try open(sealed, into: target, context: context, check: check)
            return true
        } catch { return false }
    }
}
