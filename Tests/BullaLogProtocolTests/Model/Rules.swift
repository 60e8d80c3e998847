/// What the protocol obeys.
///
/// A test takes one away, and the exploration has to find what that rule is for.
struct Rules: Sendable {
    // Appending and following.
    /// A frame follows only the one whose tag it names.
    var comparesChain = true
    /// A header that names the tag where one stands comes before a frame that does.
    var looksAtHeadersFirst = true
    /// Who begins a segment writes zeros where the former one would go on.
    var zeroesTheFormerEnd = true
    /// Who has the writer's lock takes a whole frame for a commit, whether announced or not.
    var adoptsWholeFrames = true
    /// A writer whose write fails looks at what stands there, and goes on where it is whole.
    var keepsWholeFrames = true
    /// A commit of several frames is one only with its last.
    var waitsForTheLastPart = true
    /// Nobody appends to a segment that another world began.
    var beginsOwnSegments = true
    /// Who finds no next frame compares the headers before he calls that the end.
    var comparesHeaders = true
    /// A half is used again only when both metas lie past its end.
    var sparesWhatMetasNeed = true
    /// And when the checkpoint's record does, which followers begin at.
    var sparesWhatTheRecordNames = true
    /// A half is not used where the newest meta says that it lies elsewhere, posted or not.
    var heedsTheNewestSlot = true
    /// Nor where the older one does: a half that was moved is used when both name its place.
    var awaitsBothNames = true
    /// The pages of its former place are used again only then.
    var sparesFormerPlaces = true
    /// A follower asks the record where the halves lie, before he reads.
    var learnsPlaces = true
    /// A writer who has found the end, though more is durable, begins anew at the record.
    var asksAgainAtTheEnd = true

    // Flushing.
    /// A commit is acknowledged after its flush.
    var acknowledgesAfterFlush = true
    /// A leader claims what it had verified before its flush began.
    var verifiesBeforeFlush = true
    /// A leader does not look past what was announced.
    var stopsAtAnnounced = true
    /// Nor does he stop before his own commit, whatever is announced.
    var reachesOwnCommit = true
    /// A flush covers both halves.
    var flushesBothHalves = true
    /// Who takes over an interrupted flush writes again what it covered.
    var redoesInterrupted = true
    /// So does everybody, until a writer has done it, who knows of all frames.
    var remembersInterrupted = true
    /// A mark names only what is durable.
    var marksWhatIsDurable = true
    /// Who has not flushed the newest mark himself does so before he writes over the other one.
    var flushesNewestMark = true
    /// Marks are written to the two slots in turn.
    var marksInTurn = true

    // Checkpoints and direct commits.
    /// The pages are flushed before the meta, or the root frame, that names them.
    var flushesPagesFirst = true
    /// Who makes a tree flushes its pages and metas, and not the log's frames with them.
    var flushesOwnRanges = true
    /// The first meta is flushed before the other one is written.
    var flushesBetweenMetas = true
    /// A checkpoint merges only what is durable.
    var mergesWhatIsDurable = true
    /// A meta that is newer than the checkpoint's record is finished.
    var finishesMetas = true
    /// Who takes the tree lock looks for a root frame, also past what was announced.
    var looksForRootFrames = true
    /// The root frame is durable before the checkpoint's record names its tree.
    var flushesRootsBeforePosting = true
    /// A direct commit is a frame of the log; else its metas alone make it one.
    var logsDirectCommits = true

    // Reading.
    /// A reader's slot holds the checkpoint of its tree, and not the commit of its view.
    var slotsHoldCheckpoints = true
    /// A reader looks a second time, after it has claimed its tree.
    var looksAgain = true
    /// The claim is visible to others before that second look.
    var fencesTheClaim = true
    /// A reader asks what is durable after that second look.
    var asksDurableLast = true
    /// A view is made only where its memtables reach back to its tree.
    var reachesBackToTheTree = true

    // Opening.
    /// Recovery tells where the log ends before it must.
    var reportsEarlyEnds = true
    /// Recovery writes again what may stand in the page cache alone.
    var recoversByWriting = true
    /// That holds for the metas too, also where both are the same.
    var rewritesBothMetas = true
    /// A newer header obliges to what was durable then, and not to the frame that it names.
    var knowsWhatObliges = true

    // Waiting.
    /// Who waits for another process's lock does so for a limited time.
    var boundsLockWait = true
}
