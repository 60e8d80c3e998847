internal import BullaCipher
internal import BullaMemory

/// Sealing the pages anew, and erasing those that lie under the former secret.
extension Reencryption {
    /// What is told of the progress, now and then; `false` ends it here, to be resumed.
    typealias Report = (ReencryptionProgress) -> Bool

    /// Seals every page anew that lies under the former secret.
    ///
    /// - Returns: whether it was not stopped.
    func reseal(
        before first: UInt64, _ pace: Double, _ report: Report
    ) throws(BullaError) -> Bool {
        let total = Int(clamping: try core.board.checkpoint().liveCount(core.pager.format))
        var done = 0
        // Others write meanwhile, and may rename a tree that a pass has not come to: whether all is
        // done is told by one snapshot, from which all later commits come.
        repeat {
            var position: ResealPass.Position?
            repeat {
                let start = ContinuousClock.now
                let pass = try portion(from: position, first)
                (position, done) = (pass.next, done + pass.count)
                guard report(.sealing(done: done, total: max(total, done))) else { return false }
                rest(after: ContinuousClock.now - start, pace)
            } while position != nil
        } while try hasFormerPages(before: first)
        return true
    }

    /// Whether the newest durable commit needs a page that lies under the former secret.
    private func hasFormerPages(before first: UInt64) throws(BullaError) -> Bool {
        let pinned = try PinnedRecord(core)
        let record = pinned.record
        return try pinned.snapshot.claim.reading { () throws(BullaError) in
            var isFound = false
            try PageWalk(core.pager).walk(record, since: 0) { pointer, _ throws(BullaError) in
                if try UInt64(core.pager.claimedEpoch(pointer)) < first { isFound = true }
            }
            return isFound
        }
    }

    /// Refuses to go on where this process has taken up yet another secret.
    func checkEpoch(_ first: UInt64) throws(BullaError) {
        guard core.parts.ciphers.secret?.all.firstEpoch == first else {
            throw BullaError(
                .busy, "re-encrypt \(core.parts.path): another re-encryption has begun meanwhile")
        }
    }

    /// One transaction.
    private func portion(
        from start: ResealPass.Position?, _ first: UInt64
    ) throws(BullaError) -> ResealPass {
        var pass = ResealPass(
            firstEpoch: first, pageLimit: Self.portionPageCount,
            visitLimit: Self.portionPageCount * 16)
        var turn = try WriterTurn(core)
        try checkEpoch(first)
        let change = try turn.directChange()
        try TreeReseal(change: change).reseal(from: start, &pass)
        guard change.hasChanges else { return pass }
        try Settling(core: core).settle(try turn.publish(.full), .full)
        return pass
    }

    /// Leaves the rest of the time to others.
    private func rest(after work: Duration, _ pace: Double) {
        guard pace < 1 else { return }
        Pause.sleep(for: work * (1 / max(pace, 0.01) - 1))
    }

    /// Overwrites what lies under the former secret in pages that nobody reads any more, and behind
    /// the last page.
    ///
    /// - Returns: whether it was not stopped.
    func erase(before first: UInt64, _ report: Report) throws(BullaError) -> Bool {
        // Twice: both meta slots name commits all of whose pages lie under the new secret.
        for _ in 0..<2 {
            try core.entrance.use { () throws(BullaError) in
                let turn = try RecordTurn(core)
                try core.flusher.renew(SealBudget())
                // Its lock was held up to here.
                _ = consume turn
            }
        }
        guard try awaitOthers(of: first, report) else { return false }
        var halves: [PageRun]?
        repeat {
            halves = try core.board.checkpoint().log.halves
            guard try erasePages(before: first, report) else { return false }
            try eraseLog(before: first)
            // Where a half was moved meanwhile, it has left frames behind.
        } while try core.board.checkpoint().log.halves != halves
        return true
    }

    /// Erases what is no page of the new secret, all over the file.
    ///
    /// - Returns: whether it was not stopped.
    private func erasePages(before first: UInt64, _ report: Report) throws(BullaError) -> Bool {
        var page = core.pager.format.firstPage
        while let (next, end) = try core.entrance.use({ () throws(BullaError) in
            try erasePortion(from: page, before: first)
        }) {
            page = next
            guard report(.erasing(done: Int(clamping: page), total: Int(clamping: end))) else {
                return false
            }
        }
        return true
    }

    /// Erases some pages of the file.
    ///
    /// - Returns: where the next portion begins, and the end of the file; `nil` where all is done.
    private func erasePortion(
        from page: UInt64, before first: UInt64
    ) throws(BullaError) -> (next: UInt64, end: UInt64)? {
        let turn = try RecordTurn(core)
        try checkEpoch(first)
        let byteCount = try core.parts.file.byteCount()
        let end = byteCount / UInt64(core.pager.format.pageByteCount)
        guard page < end else {
            try core.flusher.flushPages()
            return nil
        }
        // What lies in the log are no pages.
        let halves = turn.base.log.halves.sorted { $0.start < $1.start }
        if let half = halves.first(where: { $0.start <= page && page < $0.end }) {
            return (half.end, end)
        }
        let limit = halves.first { $0.start > page }?.start ?? end
        let portion = page..<min(page + UInt64(Self.erasedPageCount), limit)
        try erase(portion, before: first)
        // Its lock was held up to here.
        _ = consume turn
        return (portion.upperBound, end)
    }

    /// Overwrites the pages of a range that do not claim a key epoch from `first` on: pages of the
    /// former secret, and what was a half of the log.
    ///
    /// To be called under the lock on the trees, when no commit that can be read refers to any.
    private func erase(_ pages: Range<UInt64>, before first: UInt64) throws(BullaError) {
        let format = core.pager.format
        let file = core.parts.file
        let newest = max(first, try core.board.checkpoint().keyEpoch)
        let batch = 64
        let buffer = try Buffer.make(batch * format.pageByteCount)
        let zeros = try Buffer.make(format.pageByteCount)
        zeros.bytes.fill(0, format.pageByteCount)
        for start in stride(from: pages.lowerBound, to: pages.upperBound, by: batch) {
            let count = Int(min(UInt64(batch), pages.upperBound - start))
            let bytes = buffer.bytes.slice(0, count * format.pageByteCount)
            try file.read(bytes, at: format.offset(start))
            for index in 0..<count {
                let page = bytes.view.slice(index * format.pageByteCount, format.pageByteCount)
                let epoch = UInt64(PageCipher.epoch(of: page))
                guard !(first...newest).contains(epoch), !page.isZero else { continue }
                try file.write(
                    zeros.bytes.view.slice(0, format.pageByteCount),
                    at: format.offset(start + UInt64(index)))
            }
        }
    }

    /// Waits for snapshots that still need pages under the former secret, and for processes that
    /// know it alone.
    private func awaitOthers(
        of first: UInt64, _ report: Report
    ) throws(BullaError) -> Bool {
        let commit = try core.board.checkpoint().commit
        while true {
            // A snapshot ends, or a process uses the store, without telling anybody.
            let snapshots = try core.entrance.use { () throws(BullaError) in
                try core.slots.livingSnapshots().filter { $0.commit < commit }
            }
            let processes = Set(snapshots.map { core.slots.process(ofSlot: $0.slot) })
            let lags = try isAnyoneLagging(behind: first)
            if snapshots.isEmpty, !lags { return true }
            let waiting = ReencryptionProgress.waiting(
                snapshots: snapshots.count, processes: processes.sorted(), isLagging: lags)
            guard report(waiting) else { return false }
            Pause.sleep(for: .milliseconds(20))
        }
    }

    /// Whether somebody who has the store open knows no secret but a former one.
    private func isAnyoneLagging(behind first: UInt64) throws(BullaError) -> Bool {
        let own = LockByte.secret(first)
        for bytes in [LockByte.secrets.lowerBound..<own, own + 1..<LockByte.secrets.upperBound]
        where !bytes.isEmpty {
            if try core.parts.file.isLocked(bytes, against: .exclusive) { return true }
        }
        return false
    }

    /// Forgets the former secret.
    func forget(before first: UInt64) throws(BullaError) {
        // Strictly: as long as one copy has the former secret, it is not forgotten.
        try KeyringChange(core: core).run("end the re-encryption of", isStrict: true) {
            table, secret throws(BullaError) in
            try checkEpoch(first)
            table.dropFormer()
            do throws(CipherError) {
                secret = PageCiphers.Secrets(
                    MasterSecrets(
                        try secret.master.copied(), firstEpoch: secret.all.firstEpoch))
            } catch { throw BullaError.cipher("re-encrypt \(core.parts.path)", error) }
        }
    }
}
