/// A tree of one page, made by a checkpoint or a direct commit, and named by a meta slot.
///
/// Its index in `State.trees` is the stamp of its page, and of a meta that names it.
struct Tree: Hashable {
    /// The number of trees in its line, up to and including this one; a reader's slot holds this
    /// number.
    var number: UInt8 = 1
    /// The frame up to which it is complete.
    var commit = Entry.beginning
    var page: UInt8 = 0
    /// Where replay begins.
    var place = Place()
    /// The places of the log's halves.
    var halves = Halves()
    /// The tree that it was made from.
    var base: UInt8 = 0
}
