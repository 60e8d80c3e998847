internal import BullaMemory

extension CommitRecord {
    /// Checks, before this process writes this record, how the record relates to `former`, the last
    /// one that was flushed.
    package func checkSuccession(to former: CommitRecord) {
        invariant(metaSlot != former.metaSlot, "the slot that was flushed last is never written")
        invariant(flush > former.flush, "a flush number only grows")
        invariant(commit >= former.commit, "a checkpoint has all that the one before it has")
        invariant(lastDurable <= commit, "what a record calls durable is no later than itself")
        invariant(keyEpoch >= former.keyEpoch, "key epochs only grow")
        invariant(sealedCount <= reservedCount, "no page is sealed that was not reserved")
    }
}
