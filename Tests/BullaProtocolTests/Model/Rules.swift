/// What the protocol obeys.
///
/// All hold in the engine. A test takes one away, and the exploration has to find what that rule is
/// for.
struct Rules: Sendable {
    /// A reader looks a second time, after it has said which commit it stands on.
    var looksAgain = true
    /// What a reader says is visible to others before that second look.
    var fencesTheClaim = true
    /// Pages are reused when a confirmed commit has freed them, not when a published one has.
    var reusesConfirmed = true
    /// A writer reads the confirmed commit before it reads who stands where.
    var readsConfirmedFirst = true
    /// A writer takes no slot of its own process for a dead one's.
    var sparesOwnSlots = true
    /// A meta slot is never written over the one that was flushed last.
    var takesTheOtherMeta = true
    /// Who waits for a flush looks now and then whether the leader still lives.
    var probesTheLeader = true
    /// Who gives up the flush lock tells those who wait afterwards, not before.
    var tellsAfterRelease = true
    /// Who takes over an interrupted flush writes again what it covered.
    var redoesInterrupted = true
    /// Who leads a flush takes up a durable record whose writer died before he raised its number.
    var raisesTheDurable = true
    /// Recovery writes again what it trusts, and flushes it.
    var recoversByWriting = true
    /// So it does with a commit that its meta calls confirmed.
    var rewritesConfirmed = true
    /// Confirming, too, looks after a flush that was interrupted, and says that one is under way.
    var marksConfirming = true
    /// Recovery takes no commit that is older than a confirmed one.
    var stopsAtConfirmed = true
    /// Who recovers is alone until it is done.
    var recoversAlone = true
    /// Who closes shuts a gate, and waits for those of its process who are inside.
    var waitsForThoseInside = true
    /// Who takes or gives up a slot enters the gate first, and looks afterwards whether it was
    /// shut. (Without a fence between, it comes to the other order.)
    var entersBeforeLooking = true
    /// Who waits for another process's lock does so for a limited time.
    var boundsLockWait = true
    /// Who waits for another process's flush does so for a limited time.
    var boundsFlushWait = true
    /// Who waited for too long says that the commit is not yet durable.
    var tellsWhatIsNotDurable = true
    /// A reader that finds another page than it looked for looks at its own slot, whether that
    /// still says what it stands on.
    var looksAtItsSlot = true
}
