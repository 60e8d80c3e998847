/// A tree of one page: what a checkpoint or a direct commit makes, and what a meta slot names.
///
/// Its place in the list of trees is the stamp of its page, and of a meta that names it.
struct Tree: Hashable {
    /// How many trees were made before it, one from the other; what a reader's slot holds.
    var number: UInt8 = 1
    /// The frame up to which it has everything.
    var commit = Entry.beginning
    var page: UInt8 = 0
    /// Where replay begins.
    var place = Place()
    /// Where the halves of the log lie.
    var halves = Halves()
    /// The tree that it was made from.
    var base: UInt8 = 0
}
