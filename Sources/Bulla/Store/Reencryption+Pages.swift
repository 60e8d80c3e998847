internal import BullaCipher
internal import BullaMemory

/// Seals the pages anew, and erases those that are sealed under the former secret.
extension Reencryption {
    /// Receives the progress from time to time; by throwing, it stops the re-encryption, which can
    /// be resumed.
    typealias Report = (ReencryptionProgress) throws(BullaError) -> Void

    /// Seals anew every page that is sealed under the former secret.
    func reseal(
        before first: UInt64, _ pace: Double, _ report: Report
    ) throws(BullaError) {
        let total = Int(clamping: try core.board.checkpoint().liveCount(core.pager.format))
        var done = 0
        // If another writer renames a tree, the passes can miss that tree. So only a walk over one
        // snapshot shows whether all pages of that snapshot are sealed anew. If they are, the pages
        // of all later commits are too, because those commits build on that snapshot.
        repeat {
            var position: ResealPass.Position?
            repeat {
                let start = ContinuousClock.now
                let pass = try portion(from: position, first)
                (position, done) = (pass.next, done + pass.count)
                try report(.sealing(TaskProgress(completed: done, total: total)))
                rest(after: ContinuousClock.now - start, pace)
            } while position != nil
        } while try hasFormerPages(before: first)
    }

    /// Whether the newest durable commit needs a page that is sealed under the former secret.
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

    /// Throws if another re-encryption has given this process a still newer secret.
    func checkEpoch(_ first: UInt64) throws(BullaError) {
        guard core.parts.ciphers.secret?.all.firstEpoch == first else {
            throw BullaError(
                .busy, "re-encrypt \(core.parts.path): another re-encryption has begun meanwhile")
        }
    }

    /// Seals one portion of the pages anew, in one transaction.
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

    /// Sleeps after some work, so that the work takes only the share `pace` of the time.
    private func rest(after work: Duration, _ pace: Double) {
        guard pace < 1 else { return }
        Pause.sleep(for: work * (1 / max(pace, 0.01) - 1))
    }

    /// Waits until no snapshot or process needs the former secret, then overwrites the pages and
    /// the parts of the log that are sealed under it.
    ///
    /// Pages are overwritten up to the end of the file.
    func erase(before first: UInt64, _ report: Report) throws(BullaError) {
        // Renew the meta record twice, so that both meta slots name commits whose pages are all
        // sealed under the new secret.
        for _ in 0..<2 {
            try core.entrance.use { () throws(BullaError) in
                let turn = try RecordTurn(core)
                try core.metaWriter.renew(SealBudget())
                // The turn holds its lock up to here.
                _ = consume turn
            }
        }
        try awaitOthers(of: first, report)
        var halves: [PageRun]?
        repeat {
            halves = try core.board.checkpoint().log.halves
            try erasePages(before: first, report)
            try eraseLog(before: first)
            // If a half of the log moved meanwhile, its former place may still have old frames,
            // because `erasePages` skipped the half there, and `eraseLog` no longer found it there.
        } while try core.board.checkpoint().log.halves != halves
    }

    /// Erases all pages of the file that are not sealed under the new secret.
    private func erasePages(before first: UInt64, _ report: Report) throws(BullaError) {
        var page = core.pager.format.firstPage
        while let (next, end) = try core.entrance.use({ () throws(BullaError) in
            try erasePortion(from: page, before: first)
        }) {
            page = next
            let done = TaskProgress(completed: Int(clamping: page), total: Int(clamping: end))
            try report(.erasing(done))
        }
    }

    /// Erases some pages of the file.
    ///
    /// - Returns: where the next portion begins, and the end of the file, as page numbers; `nil` if
    ///   all is done.
    private func erasePortion(
        from page: UInt64, before first: UInt64
    ) throws(BullaError) -> (next: UInt64, end: UInt64)? {
        let turn = try RecordTurn(core)
        try checkEpoch(first)
        let byteCount = try core.parts.file.byteCount()
        let end = byteCount / UInt64(core.pager.format.pageByteCount)
        guard page < end else {
            try core.metaWriter.flushPages()
            return nil
        }
        // Skip the log's halves: they hold frames of the log, not sealed pages.
        let halves = turn.base.log.halves.sorted { $0.start < $1.start }
        if let half = halves.first(where: { $0.start <= page && page < $0.end }) {
            return (half.end, end)
        }
        let limit = halves.first { $0.start > page }?.start ?? end
        let portion = page..<min(page + UInt64(Self.erasedPageCount), limit)
        try erase(portion, before: first)
        // The turn holds its lock up to here.
        _ = consume turn
        return (portion.upperBound, end)
    }

    /// Overwrites each page in `pages` unless it claims a key epoch from `first` to the newest one.
    ///
    /// So it overwrites pages that are sealed under a former secret, and pages where a half of the
    /// log used to lie, which have other bytes in the place of the epoch.
    ///
    /// Call this under the lock on the trees, when no readable commit refers to such a page.
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
    /// know only that secret.
    private func awaitOthers(of first: UInt64, _ report: Report) throws(BullaError) {
        let commit = try core.board.checkpoint().commit
        while true {
            // This polls, because no process announces that its snapshot has ended, or that it has
            // learned the new secret.
            let snapshots = try core.entrance.use { () throws(BullaError) in
                try core.slots.livingSnapshots().filter { $0.commit < commit }
            }
            let processes = Set(snapshots.map { core.slots.process(ofSlot: $0.slot) })
            let lags = try isAnyoneLagging(behind: first)
            if snapshots.isEmpty, !lags { return }
            try report(
                .waiting(
                    snapshots: snapshots.count, processes: processes.sorted(), isLagging: lags))
            Pause.sleep(for: .milliseconds(20))
        }
    }

    /// Whether a process that has the store open knows only a former secret.
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
        // Strict: both copies of the keyring must be written, because the former secret is
        // forgotten only once neither copy holds it.
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
