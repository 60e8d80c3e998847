internal import BullaCipher
internal import BullaMemory
internal import Dispatch

/// Seals pages in bulk, and writes neighbouring pages in one call.
///
/// Callers may add pages in any order; pages that are added one after the other with consecutive
/// numbers are written in one call. ``seal()`` returns pointers to the pages, with their checks. It
/// may leave pages unwritten; ``finish()`` writes those that remain.
struct PageSealer: ~Copyable {
    private let pager: Pager
    private let cipher: PageCipher
    private let epoch: UInt32
    private let commit: UInt64
    private let board: any ReclaimBoard
    private let pace: WriteBackPace
    /// Room for ``stagingPageCount`` pages.
    private let staging: ScratchBuffer
    private var batch = SealBatch()
    /// Numbers of the pages in the half of the staging buffer that is being filled; those from
    /// index `sealedCount` on are still to be sealed.
    private var numbers: [UInt64] = []
    /// Where in the staging buffer the half that is being filled begins.
    private var start = 0
    /// Writes the other half on another thread; made when a half is full for the first time.
    private var behind: WriteBehind<BullaError>?
    private var sealedCount = 0
    private var sealedPointers: [PagePointer] = []
    /// The error that kept a page from being written; if there is one, nothing may refer to the
    /// sealed pages.
    private var failure: BullaError?

    /// How many pages the staging buffer holds: one half is filled while the other is written.
    static let stagingPageCount = 256

    init(
        pager: Pager, board: any ReclaimBoard, staging: ScratchBuffer, epoch: UInt32,
        commit: UInt64
    ) throws(BullaError) {
        self.pager = pager
        self.board = board
        self.epoch = pager.isPlain ? 0 : epoch
        self.commit = commit
        self.staging = staging
        cipher = try pager.ciphers.cipher(epoch: self.epoch)
        pace = WriteBackPace(pager.file)
    }

    // Wait for the write under way, because its memory will be reused. A forked child has no thread
    // that writes, and so does not wait.
    deinit {
        if (try? board.checkProcess()) != nil { try? behind?.wait() }
    }

    /// Adds a page.
    ///
    /// Its content must not change before ``seal()``.
    mutating func add(_ content: ByteView, _ kind: PageKind, number: UInt64) throws(BullaError) {
        if numbers.count == Self.stagingPageCount / 2 { try changeHalves() }
        let byteCount = pager.format.pageByteCount
        let context = PageContext(
            pageNumber: number, birth: commit, epoch: epoch, kind: kind.rawValue)
        let sealed = staging.bytes.slice(start + numbers.count * byteCount, byteCount)
        batch.append(content: content, sealed: sealed, context: context)
        numbers.append(number)
    }

    /// Seals the pages that were added since the last call, and returns pointers to them, in the
    /// order in which they were added.
    mutating func seal() throws(BullaError) -> [PagePointer] {
        try sealBatch()
        defer { sealedPointers.removeAll(keepingCapacity: true) }
        return sealedPointers
    }

    private mutating func sealBatch() throws(BullaError) {
        guard batch.count > 0 else { return }
        if !pager.isPlain { try board.reserveSeals(UInt64(batch.count)) }
        do throws(CipherError) {
            try cipher.seal(&batch, DispatchQueue.concurrentPerform)
        } catch {
            throw BullaError.cipher("seal \(batch.count) pages of \(pager.file.path)", error)
        }
        for index in 0..<batch.count {
            sealedPointers.append(
                PagePointer(
                    number: numbers[sealedCount + index], birth: commit,
                    check: batch.check(at: index)))
        }
        #if BULLA_CHECKS
        if PlantedBug.isPlanted(.nonceRepeated) { repeatNonce() }
        #endif
        sealedCount += batch.count
        batch.removeAll()
    }

    #if BULLA_CHECKS
    /// Overwrites the nonces of the newest pages with zeros, for a test.
    private func repeatNonce() {
        for index in 1...batch.count {
            let end = start + (sealedCount + index) * pager.format.pageByteCount
            staging.bytes.fill(
                end - TrailerField.totalByteCount + TrailerField.nonce.offset,
                TrailerField.nonce.byteCount)
        }
    }
    #endif

    /// Lets another thread write the filled half, and continues in the other half.
    private mutating func changeHalves() throws(BullaError) {
        try sealBatch()
        let behind = self.behind ?? WriteBehind<BullaError>(.userInitiated)
        self.behind = behind
        try behind.wait()
        let (half, pace) = (staged, pace)
        behind.begin { () throws(BullaError) in try half.write(at: pace) }
        numbers = []
        sealedCount = 0
        start = start == 0 ? staging.bytes.byteCount / 2 : 0
    }

    /// Writes the remaining pages.
    ///
    /// They are durable only after a flush.
    ///
    /// - Throws: why a page could not be written, now or in an earlier call; `usedAfterFork` in a
    ///   forked child.
    mutating func finish() throws(BullaError) {
        if let failure { throw failure }
        try board.checkProcess()
        do throws(BullaError) {
            try sealBatch()
            try behind?.wait()
            try staged.write(at: nil)
        } catch {
            failure = error
            throw error
        }
        numbers.removeAll(keepingCapacity: true)
        sealedCount = 0
    }

    private var staged: StagedPages {
        StagedPages(pager: pager, board: board, staging: staging, start: start, numbers: numbers)
    }
}

/// Sealed pages, ready to be written.
private struct StagedPages: Sendable {
    let pager: Pager
    let board: any ReclaimBoard
    let staging: ScratchBuffer
    let start: Int
    let numbers: [UInt64]

    /// - Parameter pace: sends the pages on to the disk in small parts; `nil` leaves that to the
    ///   next flush.
    func write(at pace: WriteBackPace?) throws(BullaError) {
        guard !numbers.isEmpty else { return }
        try board.checkPlace()
        let byteCount = pager.format.pageByteCount
        var first = 0
        while first < numbers.count {
            var end = first + 1
            let limit = min(first + WriteBackPace.partByteCount / byteCount, numbers.count)
            while end < limit, numbers[end] == numbers[end - 1] + 1 { end += 1 }
            try pager.file.write(
                staging.bytes.view.slice(start + first * byteCount, (end - first) * byteCount),
                at: pager.format.offset(numbers[first]))
            let (start, stop) = (numbers[first], numbers[end - 1] + 1)
            try pace?.add(pager.format.offset(start)..<pager.format.offset(stop))
            first = end
        }
        pager.counters.countSealed(numbers.count, byteCount: numbers.count * byteCount)
    }
}
