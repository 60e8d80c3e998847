/// What can stand in a cell of the log: the meaning of its stamp, which is its place in a list.
///
/// A frame's stamp is its tag. Two frames that say the same have the same tag, as in a plain store;
/// so a program that does once more what a crash took away writes the same bytes again.
struct Entry: Hashable {
    enum Kind: UInt8 {
        /// Random bytes, zeros, a frame that is not whole.
        case nothing
        /// What the first frame names as the one before it.
        case beginning
        /// A segment begins here.
        case header
        /// A frame of a commit that does not end with it.
        case part
        case ordinary
        /// A frame that names a tree, which has all that came before and what it changes itself.
        case root
    }

    var kind: Kind
    /// The frame before.
    var before: UInt8 = 0
    /// The commit; a header's is that of the frame before.
    var number: UInt8 = 0
    /// The newest commit that was known durable then.
    var durable: UInt8 = 0
    /// The header of a frame's segment.
    var segment: UInt8 = 0
    /// Of a header: which use of a half it begins or goes on with.
    var use: UInt8 = 0
    /// Who wrote it: of a frame the process, of a header the world.
    var author: UInt8 = 0
    /// The tree that a root frame names.
    var tree: UInt8 = 0

    static let nothing: UInt8 = 0
    static let beginning: UInt8 = 1

    var isFrame: Bool { kind == .part || kind == .ordinary || kind == .root }
}
