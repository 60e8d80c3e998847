/// Mistakes that a test can plant in the engine, to prove that tests on a simulated disk find them.
///
/// Each case says what the engine then does wrong; <doc:Log> and <doc:Sharing> explain the terms.
/// Without `-DBULLA_CHECKS`, no mistake can be planted, and the code that looks for one compiles to
/// nothing.
package enum PlantedBug: CaseIterable, Sendable {
    /// A checkpoint is called durable before its meta slot is flushed.
    case flushSkipped
    /// A meta slot names pages that no flush has covered.
    case pagesNotFlushed
    /// A process overwrites a meta slot whose writer died before it could post the slot's record,
    /// although the slot is newer than the posted record.
    case newerSlotIgnored
    /// Pages are written to a new part of the file before a flush has covered the new length.
    case growthNotFlushed
    /// Two pages are sealed under one nonce.
    case nonceRepeated
    /// A page is opened even though its parent names another version of the page.
    case checkIgnored
    /// Only the commit whose flush failed learns of the failure.
    case poisonNotShared
    /// A process does not remember by itself that a flush failed: it trusts a shared word, which a
    /// stranger can overwrite.
    case poisonNotLatched
    /// All threads of a process flush through one open file, on which the kernel reports an error
    /// only once.
    case flushHandleShared
    /// A process vouches for frames that may have failed to reach the disk before it joined.
    case formerPagesTrusted
    /// A flush of the log does nothing.
    case logFlushSkipped
    /// A flush of ranges in both halves of the log leaves out the range in the older half.
    case formerHalfNotFlushed
    /// A follower enters a segment whose header does not name the last frame that the follower has
    /// read.
    case logChainIgnored
    /// A writer that looks for the end of the log stops at the last announced commit, and so may
    /// overwrite a whole frame after it.
    case wholeFrameOverwritten
    /// A log that ends too early passes as complete.
    case logEndUnreported
    /// A writer continues a segment that an earlier world began.
    case otherWorldAppended
    /// A leader trusts an interrupted flush of the log to have done its work.
    case interruptedFlushTrusted
    /// Only the next leader learns that a flush of the log was interrupted; the leaders after it do
    /// not.
    case interruptionForgotten
    /// A leader claims durability even for commits that were announced during its flush.
    case claimedAfterFlush
    /// What a failed write put into the log stays there.
    case failedFrameLeft
    /// A joiner believes the durable record although it is older than a mark.
    case newerMarkIgnored
    /// A joiner believes the durable record although the log has a different commit with the
    /// record's number.
    case durableTagIgnored
    /// A leader looks for the end of the log beyond the last announced commit.
    case lookedPastAnnounced
    /// A follower passes over a root frame without switching to the trees that the frame names.
    case rootFramePassed
    /// A merge ignores deletions.
    case tombstoneLost
    /// The filter of a memtable is not updated with the keys that are put into the memtable.
    case filterNotUpdated
    /// A reader's slot holds the commit that the reader sees, not the checkpoint of its trees.
    case slotHoldsCommit
    /// Before it has pinned its trees, a snapshot asks how far the log is durable, and it does not
    /// check whether the answer reaches the checkpoint of those trees.
    case durableAskedFirst
    /// Pages that a checkpoint freed are used again as soon as one meta slot names the checkpoint.
    case pagesFreedEarly
    /// A half that a checkpoint freed is used again as soon as one meta slot names the checkpoint.
    case halfFreedEarly

    #if BULLA_CHECKS
    /// The mistake that is planted in this task's calls.
    @TaskLocal package static var current: PlantedBug?
    #endif

    /// Wraps a body that another thread will run, so that this task's planted mistake is planted
    /// there, too.
    static func carried<R: Sendable>(
        _ body: @escaping @Sendable () throws(BullaError) -> R
    ) -> @Sendable () throws(BullaError) -> R {
        #if BULLA_CHECKS
        let bug = current
        return { () throws(BullaError) in
            try $current.withValue(bug) { Result { () throws(BullaError) in try body() } }.get()
        }
        #else
        body
        #endif
    }

    @inline(__always)
    static func isPlanted(_ bug: PlantedBug) -> Bool {
        #if BULLA_CHECKS
        current == bug
        #else
        false
        #endif
    }
}
