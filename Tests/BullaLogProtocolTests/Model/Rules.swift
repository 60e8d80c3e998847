/// The rules of the protocol.
///
/// A test removes one, and the exploration must find the fault that the rule prevents.
struct Rules: Sendable {
    // Appending and following.
    /// A frame follows only the frame whose tag it names.
    var comparesChain = true
    /// A header that names the last frame's tag takes precedence over a frame that names it.
    var looksAtHeadersFirst = true
    /// A writer that begins a segment writes zeros where the former segment would continue.
    var zeroesTheFormerEnd = true
    /// A process that takes the writer's lock treats a whole frame as a commit, announced or not.
    var adoptsWholeFrames = true
    /// A writer whose write fails reads back what is there, and goes on if the frame is whole.
    var keepsWholeFrames = true
    /// A commit of several frames counts only with its last frame.
    var waitsForTheLastPart = true
    /// No process appends to a segment that another world began.
    var beginsOwnSegments = true
    /// A process that finds no next frame compares the headers before concluding that the log ends.
    var comparesHeaders = true
    /// A half is reused only when both metas name places past its end.
    var sparesWhatMetasNeed = true
    /// A half is reused only when the place in the checkpoint's record, where followers begin, is
    /// past its end, too.
    var sparesWhatTheRecordNames = true
    /// A half is not used if the newest meta, posted or not, says that it has moved.
    var heedsTheNewestSlot = true
    /// Nor if the older meta still names its former place: a moved half is used only once both
    /// metas name its new place.
    var awaitsBothNames = true
    /// The pages of a half's former place are also reused only once both metas name its new place.
    var sparesFormerPlaces = true
    /// A follower learns the halves' places from the record before reading.
    var learnsPlaces = true
    /// A writer that comes to the end before it has reached the durable commit starts again at a
    /// newer record.
    var asksAgainAtTheEnd = true

    // Flushing.
    /// A commit is acknowledged only after its flush.
    var acknowledgesAfterFlush = true
    /// A leader reports as durable only what it had verified before its flush began.
    var verifiesBeforeFlush = true
    /// A leader does not look beyond the announced frames.
    var stopsAtAnnounced = true
    /// Nor does it stop before its own commit, whatever is announced.
    var reachesOwnCommit = true
    /// A flush covers both halves.
    var flushesBothHalves = true
    /// A process that takes over an interrupted flush rewrites what the flush covered.
    var redoesInterrupted = true
    /// All later leaders do the same, until a writer has done it; a writer knows all frames.
    var remembersInterrupted = true
    /// A mark names only a durable commit.
    var marksWhatIsDurable = true
    /// A process flushes the newest mark before overwriting the other one, unless it has already
    /// flushed that mark itself.
    var flushesNewestMark = true
    /// Marks alternate between the two slots.
    var marksInTurn = true

    // Checkpoints and direct commits.
    /// The pages are flushed before the meta, or the root frame, that names them.
    var flushesPagesFirst = true
    /// A process that makes a tree flushes its pages and metas, but not the log's frames.
    var flushesOwnRanges = true
    /// The first meta is flushed before the other one is written.
    var flushesBetweenMetas = true
    /// A checkpoint merges only what is durable.
    var mergesWhatIsDurable = true
    /// A process that takes the tree lock completes an update of the metas that is newer than the
    /// checkpoint's record.
    var finishesMetas = true
    /// A process that takes the tree lock looks for a root frame, even beyond the announced frames.
    var looksForRootFrames = true
    /// The root frame is durable before the checkpoint's record names its tree.
    var flushesRootsBeforePosting = true
    /// A direct commit is a frame of the log; without this rule, only its metas make it a commit.
    var logsDirectCommits = true

    // Reading.
    /// A reader's slot holds the checkpoint of its tree, not the commit of its view.
    var slotsHoldCheckpoints = true
    /// A reader looks a second time after it has claimed its tree.
    var looksAgain = true
    /// The claim is visible to others before that second look.
    var fencesTheClaim = true
    /// A reader asks what is durable only after that second look.
    var asksDurableLast = true
    /// A view is made only if its memtables reach back to its tree.
    var reachesBackToTheTree = true

    // Opening.
    /// Recovery reports a log that ends too early.
    var reportsEarlyEnds = true
    /// Recovery rewrites what may exist only in the page cache.
    var recoversByWriting = true
    /// It also rewrites the metas, even if both are equal.
    var rewritesBothMetas = true
    /// A newer header guarantees only what was durable when it was written, not the frame that it
    /// names.
    var knowsWhatObliges = true

    // Waiting.
    /// A process waits for another's lock only for a limited time.
    var boundsLockWait = true
}
