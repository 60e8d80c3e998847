/// Mistakes that a test can plant in the engine, to see that the simulated disk finds them.
///
/// Without `-DBULLA_CHECKS` there are none, and the questions for them compile to nothing.
package enum PlantedBug: CaseIterable, Sendable {
    /// A checkpoint is called durable before its meta slot is flushed.
    case flushSkipped
    /// A meta slot names pages that no flush has covered.
    case pagesNotFlushed
    /// A meta slot of a process that died before it told others is written over.
    case newerSlotIgnored
    /// Pages are written to a part of the file whose length no flush has covered.
    case growthNotFlushed
    /// Two pages are sealed under one nonce.
    case nonceRepeated
    /// A page is opened though its parent names another version of it.
    case checkIgnored
    /// Only the commit whose flush failed learns of it.
    case poisonNotShared
    /// That a flush failed is known from a shared word alone, which a stranger can write over.
    case poisonNotLatched
    /// The threads of a process flush through one open file, which is told of an error once.
    case flushHandleShared
    /// A process vouches for frames whose write-back may have failed before it came.
    case formerPagesTrusted
    /// A flush of the log does nothing.
    case logFlushSkipped
    /// The rest of the former half is not flushed with the new one.
    case formerHalfNotFlushed
    /// A segment is entered whatever frame its header names.
    case logChainIgnored
    /// A writer looks for the end of the log no further than was announced.
    case wholeFrameOverwritten
    /// A log that ends before it must is taken for whole.
    case logEndUnreported
    /// A writer goes on in the segment of a world that has ended.
    case otherWorldAppended
    /// A leader believes that a flush of the log which was interrupted has done its work.
    case interruptedFlushTrusted
    /// Only the next leader knows that a flush of the log was interrupted.
    case interruptionForgotten
    /// A leader claims what was announced while it flushed.
    case claimedAfterFlush
    /// What a failed write has left in the log stays there.
    case failedFrameLeft
    /// A joiner believes a durable record that is older than a mark.
    case newerMarkIgnored
    /// A joiner believes a durable record of a commit that the log does not have.
    case durableTagIgnored
    /// A leader looks for the end of the log, past what was announced.
    case lookedPastAnnounced
    /// A commit that is a tree is stepped over, and its tree is not taken.
    case rootFramePassed
    /// A merge passes over what was deleted.
    case tombstoneLost
    /// The filter of a memtable is not told of what is put into it.
    case filterNotUpdated
    /// A reader's slot holds the commit that it sees, not the checkpoint that its trees are of.
    case slotHoldsCommit
    /// A snapshot asks how far the log is durable before it has claimed its trees, and compares
    /// nothing.
    case durableAskedFirst
    /// Pages that a checkpoint has freed are used again when one slot names it.
    case pagesFreedEarly
    /// A half that a checkpoint has freed is used again when one slot names it.
    case halfFreedEarly

    #if BULLA_CHECKS
    /// The mistake that this task's calls make.
    @TaskLocal package static var current: PlantedBug?
    #endif

    /// What another thread is to run, with the mistake that this task's calls make.
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
