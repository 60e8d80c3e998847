/// The rules of the protocol.
///
/// All of them hold in the engine. Each test removes one, and the exploration must find the fault
/// that the rule prevents.
struct Rules: Sendable {
    /// A reader looks a second time after it has claimed its commit.
    var looksAgain = true
    /// A reader's claim is visible to others before that second look.
    var fencesTheClaim = true
    /// A page is not reused before the commit that freed it is confirmed; it is not enough that
    /// this commit is published.
    var reusesConfirmed = true
    /// A writer reads the confirmed commit before it reads the readers' claims.
    var readsConfirmedFirst = true
    /// A writer does not treat a slot of its own process as a dead process's.
    var sparesOwnSlots = true
    /// The meta slot that was flushed last is never overwritten.
    var takesTheOtherMeta = true
    /// A process that waits for a flush checks from time to time whether the leader still lives.
    var probesTheLeader = true
    /// A process that releases the flush lock wakes waiters afterwards, not before.
    var tellsAfterRelease = true
    /// A process that takes over an interrupted flush rewrites what that flush covered.
    var redoesInterrupted = true
    /// A leader adopts a durable record whose writer died before it raised the durable number.
    var raisesTheDurable = true
    /// Recovery rewrites what it trusts, and flushes it.
    var recoversByWriting = true
    /// Recovery rewrites and flushes even a meta slot that calls its commit confirmed.
    var rewritesConfirmed = true
    /// Confirming also repairs an interrupted flush, and announces its own flush.
    var marksConfirming = true
    /// Recovery never chooses a commit older than a confirmed one.
    var stopsAtConfirmed = true
    /// A recovering process is alone until it is done.
    var recoversAlone = true
    /// A closing process shuts a gate, and waits for those of its threads that are inside.
    var waitsForThoseInside = true
    /// A thread that takes or releases a slot enters the gate first, and then checks whether it is
    /// shut (without a fence in between, the order can be reversed).
    var entersBeforeLooking = true
    /// A process waits for another's lock only for a limited time.
    var boundsLockWait = true
    /// A process waits for another's flush only for a limited time.
    var boundsFlushWait = true
    /// A process that has waited too long reports that the commit is not durable yet.
    var tellsWhatIsNotDurable = true
    /// A reader that finds an unexpected page checks whether its own slot still holds its claim.
    var looksAtItsSlot = true
}
