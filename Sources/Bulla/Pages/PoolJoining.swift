internal import BullaCipher
internal import BullaMemory

/// Joins a page pool: checks that the pool serves the same store and secret, and takes a free line
/// of it (``PoolLayout``) for this worker.
struct PoolJoining {
    let ciphers: PageCiphers
    let path: String
    let timeout: Duration

    /// - Parameter descriptor: the one that the process has inherited from the pool's owner.
    /// - Throws: `invalidArgument` if the descriptor is not a pool's, if the store is plain, or if
    ///   the pool is too small for the store's pages; `otherStore` if the pool serves another store
    ///   or secret; `readersFull` if it has no room for another worker; `busy` if other workers
    ///   take too long to join or leave; `io`; `outOfMemory`.
    func join(_ descriptor: Int32) throws(BullaError) -> PoolMember {
        guard ciphers.header.suite != .plain else {
            throw refusal(.invalidArgument, "a plain store opens no pages, and shares none")
        }
        let file = try PoolFile(inherited: descriptor)
        let pageByteCount = ciphers.header.format.pageByteCount
        let least = PoolLayout.framesOffset + PoolLayout.groupFrameCount * pageByteCount
        guard file.byteCount >= least else {
            throw refusal(.invalidArgument, "it has \(file.byteCount) bytes, and needs \(least)")
        }
        let region = try file.map()
        guard try PoolDoor(file).pass(timeout: timeout) else {
            throw refusal(.busy, "another worker is joining or leaving it; waited \(timeout)")
        }
        defer { file.unlock(PoolLayout.doorByte) }
        let words = SharedWords(region.bytes)
        if try !file.isLocked(PoolLayout.workerBytes) {
            // Earlier workers may have left pages, even pages of another store.
            try file.clear()
            try PoolBinding(ciphers).bind(words)
        } else {
            guard try PoolBinding(ciphers).isBound(words) else {
                throw refusal(
                    .otherStore,
                    "its workers have another store open, or this one under the secret that a "
                        + "re-encryption has replaced")
            }
        }
        let frames = PoolLayout.frames(of: region.bytes, pageByteCount: pageByteCount)
        guard let worker = try takeLine(file, words, frames) else {
            throw refusal(
                .readersFull, "it has \(PoolLayout.workerLimit) workers, which is the limit")
        }
        guard !region.hasFaulted else {
            throw refusal(.outOfMemory, "the system has no memory for this worker's part of it")
        }
        let member = try PoolMember(file, region, worker: worker, pageByteCount: pageByteCount)
        try member.startAnswering()
        return member
    }

    private func refusal(_ code: BullaError.Code, _ why: String) -> BullaError {
        BullaError(code, "open \(path) with a page pool: \(why)")
    }

    /// Takes a line that no living worker has.
    private func takeLine(
        _ file: PoolFile, _ words: SharedWords, _ frames: FrameHomes
    ) throws(BullaError) -> Int? {
        var worker = 0
        while try !file.lock(PoolLayout.byte(of: worker)) {
            worker += 1
            guard worker < PoolLayout.workerLimit else { return nil }
        }
        PoolMember.clear(worker, words, frames)
        if words.loadRelaxed(PoolLayout.lineCount) <= UInt64(worker) {
            words.storeFenced(UInt64(worker) + 1, PoolLayout.lineCount)
        }
        // From here on, other workers wait for this one's answers.
        words.storeFenced(words.loadAcquire(PoolLayout.round), PoolLayout.answer(of: worker))
        words.storeFenced(1, PoolLayout.isUsed(of: worker))
        return worker
    }
}
