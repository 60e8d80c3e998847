internal import BullaCipher
internal import BullaMemory
internal import Synchronization

/// Where the newest published and the newest durable commit stand for all processes.
///
/// A record lies there sealed, as a small page under keys of the board's own, and each process
/// verifies it before it uses it: once for each commit, then the commit's number alone is compared.
/// A record older than one that this process has seen is refused.
final class CommitBoard: Sendable {
    let words: SharedWords
    let seals: SealCount
    private let world: World
    private let format: PageFormat
    private let store: StoreParts
    /// The ciphers of the eras that this process has met.
    private let knownEras = Mutex<[Era: PageCipher]>([:])
    private let scratch = ScratchPool(byteCount: WorldLayout.cellByteCount * 2)
    private let published = KnownRecord()
    private let durable = KnownRecord()
    /// Whether this process knows that a flush failed: nobody else can undo it.
    private let knowsPoison = Atomic(false)

    /// A cell that stays unreadable for so long was scribbled over, not just being written.
    private static let readLimit = 1000

    init(_ world: World, _ store: StoreParts) throws(BullaError) {
        self.world = world
        words = world.words
        seals = SealCount(world.words)
        format = store.header.format
        self.store = store
    }

    /// What a record's key is told by.
    private struct Era: Hashable {
        let number: UInt64
        /// The first key epoch of the master secret that is known.
        let firstEpoch: UInt64
        /// Whether the key comes from the one before that.
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
            world: world.binding + number.littleEndianBytes,
            pageByteCount: BoardCell.sealedByteCount, epoch: epoch)
        knownEras.withLock { known in
            // Commits and flushes are in one era each; a number that somebody scribbled can be of
            // any.
            if known.count >= 4 { known.removeAll() }
            known[era] = cipher
        }
        return cipher
    }

    /// Forgets keys of a secret that was given up: the next one may begin with the same key epoch.
    func forgetKeys() { knownEras.withLock { $0.removeAll() } }

    /// Wipes the board's keys and buffers.
    ///
    /// To be called when nobody reads or posts: only what is known is answered then.
    func end() {
        let ciphers = knownEras.withLock { known in
            defer { known.removeAll() }
            return known
        }
        for cipher in ciphers.values { cipher.end() }
        scratch.wipe()
    }

    /// The sequence number that the board claims, for a quick look.
    ///
    /// - Throws: `corrupted` when it is lower than one that this process has verified.
    @inline(__always)
    func claimed(_ cell: BoardCell) throws(BullaError) -> UInt64 {
        // Known first: the word only ever grows, so a later look cannot find less.
        let known = known(cell).sequence
        let claimed = words.loadAcquire(cell.word)
        if claimed < known { throw scribbled() }
        return claimed
    }

    private func known(_ cell: BoardCell) -> KnownRecord {
        cell == .published ? published : durable
    }

    private func scribbled() -> BullaError {
        BullaError(
            .corrupted,
            "read \(world.path): its record is not what a process of this store wrote; "
                + "close the store everywhere and open it again")
    }

    /// Puts a record up.
    ///
    /// To be called under the lock of its kind: the writer's, or the flush lock.
    func post(_ record: CommitRecord, _ cell: BoardCell) throws(BullaError) {
        let sequence = cell.sequence(record)
        try scratch.lend { buffer throws(BullaError) in
            record.write(buffer)
            let plain = buffer.view.slice(0, CommitField.byteCount)
            // Sealed in private memory: what others can write to must not be read back by the
            // cipher.
            let sealed = buffer.slice(WorldLayout.cellByteCount, BoardCell.sealedByteCount)
            let cipher = try cipher(sequence, epoch: record.keyEpoch)
            do throws(CipherError) {
                try cipher.seal(plain, into: sealed, context: cell.context(sequence))
            } catch { throw BullaError.cipher("seal a record of \(world.path)", error) }
            // First the label: a record that is whole must not lack it.
            words.storeRelease(sequence, cell.label(sequence))
            world.bytes.copy(sealed.view, to: cell.offset(sequence))
        }
        words.storeRelease(sequence, cell.word)
        known(cell).remember(record, sequence)
    }

    /// The newest record of its kind.
    ///
    /// - Throws: `corrupted` when the coordination file was written to by somebody else.
    func record(_ cell: BoardCell) throws(BullaError) -> CommitRecord {
        for attempt in 0..<Self.readLimit {
            let sequence = try claimed(cell)
            if let record = known(cell).record(sequence) { return record }
            if let record = try read(cell, sequence) {
                // Who looks for the first time knows of no newer one that the word was set back
                // from.
                if known(cell).sequence == 0, try raise(cell, from: sequence) { continue }
                known(cell).remember(record, sequence)
                return record
            }
            // Others may have taken up another secret; this process looks for it now and then.
            if attempt % 16 == 1, try store.takeUpSuccessor() { continue }
            // Being written right now, twice since we looked: wait a little, then longer.
            if attempt > 8 { words.wait(while: sequence, cell.word, atMost: .microseconds(50)) }
        }
        throw scribbled()
    }

    /// Raises the published word to the newest record that is whole in its cell.
    ///
    /// A writer that died before it raised the word leaves such a record, and so does a stranger
    /// who sets the word back. Who built on the commit before it would give the next commit the
    /// same number, and the one that waits for that number to be durable would be told so of
    /// another's.
    ///
    /// To be called under the writer's lock.
    func raisePublished() throws(BullaError) {
        // More than two there cannot be: there are two cells.
        for _ in 0..<2 {
            guard try raise(.published, from: record(.published).commit) else { return }
        }
    }

    /// The same for the durable word: who flushes over an older record would write over the meta
    /// slot that was flushed last.
    ///
    /// To be called under the flush lock.
    func raiseDurable() throws(BullaError) {
        for _ in 0..<2 {
            guard try raise(.durable, from: record(.durable).flush) else { return }
        }
    }

    /// Raises a word by one if the next record is whole in its cell already; whether it is.
    private func raise(_ cell: BoardCell, from sequence: UInt64) throws(BullaError) -> Bool {
        let next = sequence &+ 1
        // The label saves opening the record before, as a rule. Who writes a false one there could
        // as well write over the record.
        guard words.loadAcquire(cell.label(next)) == next, let later = try read(cell, next) else {
            return false
        }
        // Only from what it was: whoever posts records may have raised it further meanwhile.
        _ = words.exchange(sequence, for: next, cell.word)
        known(cell).remember(later, next)
        return true
    }

    private func read(_ cell: BoardCell, _ sequence: UInt64) throws(BullaError) -> CommitRecord? {
        try scratch.lend { buffer throws(BullaError) -> CommitRecord? in
            let shared = world.bytes.view.slice(cell.offset(sequence), BoardCell.sealedByteCount)
            buffer.copy(shared, to: 0)
            let sealed = buffer.view.slice(0, BoardCell.sealedByteCount)
            let target = buffer.slice(WorldLayout.cellByteCount, CommitField.byteCount)
            guard try opens(sealed, cell, sequence, into: target) else { return nil }
            let record = CommitRecord(target.view)
            let isTrue = cell.sequence(record) == sequence && record.isPlausible(format)
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

    /// Whether a flush has failed, in whatever process.
    ///
    /// Once known, it stays so, whatever a stranger writes over the shared word.
    var isPoisoned: Bool {
        if knowsPoison.load(ordering: .acquiring) { return true }
        guard words.loadAcquire(WorldLayout.poison) != 0 else { return false }
        if !PlantedBug.isPlanted(.poisonNotLatched) {
            knowsPoison.store(true, ordering: .releasing)
        }
        return true
    }

    /// Says that a flush has failed: first here, then to everybody.
    func poison() {
        if !PlantedBug.isPlanted(.poisonNotShared), !PlantedBug.isPlanted(.poisonNotLatched) {
            knowsPoison.store(true, ordering: .releasing)
        }
        if !PlantedBug.isPlanted(.poisonNotShared) { words.storeRelease(1, WorldLayout.poison) }
        words.add(1, WorldLayout.flushTurns)
        words.wake(WorldLayout.flushTurns)
    }
}

extension PageCipher {
    /// Opens a record, if it is what was put up.
    fileprivate func opens(
        _ sealed: ByteView, _ context: PageContext, into target: MutableByteView
    ) -> Bool {
        do throws(CipherError) {
            // Nobody names a record's version but the number in its context.
            let check = PageCipher.check(of: sealed)
            try open(sealed, into: target, context: context, check: check)
            return true
        } catch { return false }
    }
}

/// The newest record of a kind that this process has verified or written.
private final class KnownRecord: Sendable {
    private let newest = Atomic<UInt64>(0)
    private let known = Mutex<CommitRecord?>(nil)

    var sequence: UInt64 { newest.load(ordering: .acquiring) }

    /// The record, if it is still the newest known.
    func record(_ sequence: UInt64) -> CommitRecord? {
        known.withLock { newest.load(ordering: .relaxed) == sequence ? $0 : nil }
    }

    func remember(_ record: CommitRecord, _ sequence: UInt64) {
        known.withLock { known in
            guard sequence >= newest.load(ordering: .relaxed) else { return }
            known = record
            newest.store(sequence, ordering: .releasing)
        }
    }
}
