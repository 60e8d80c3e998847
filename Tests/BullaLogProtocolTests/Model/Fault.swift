import BullaExploration

/// Something that must never happen.
enum Fault: String, ExploredFault {
    case promiseBroken = "a commit that was said to be durable is lost"
    case forked = "history goes another way than it was seen to go"
    case resurrected = "a commit comes back that recovery had cut off"
    case overwritten = "a view reads a page of its tree that was written over"
    case viewOlderThanTree = "a view's memtable is older than its tree"
    case viewMisses = "a view's memtables begin after its tree ends"
    case viewBehind = "a view is older than what was durable when it was asked for"
    case refused = "a file that nobody damaged is refused"
    case cutUnnoticed = "a log is shorter than what its marks say, and nobody is told"
    case halved = "a part of a commit is taken for the whole"
    case stuck = "somebody waits for ever"
}
