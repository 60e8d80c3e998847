/// The possible content of a cell of the log; its index in `State.entries` is its stamp.
///
/// A frame's stamp is its tag. Two frames with the same content have the same tag, as in a plain
/// store. So a program that repeats what a crash undid writes the same bytes again.
struct Entry: Hashable {
    enum Kind: UInt8 {
        /// Random bytes, zeros, or an incomplete frame.
        case nothing
        /// The frame that the first frame names as its predecessor.
        case beginning
        /// The header with which a segment begins.
        case header
        /// A frame of a commit, but not the last one.
        case part
        case ordinary
        /// A frame that names a tree; the tree contains everything before the frame, and the
        /// frame's own changes.
        case root
    }

    var kind: Kind
    /// The frame before.
    var before: UInt8 = 0
    /// The commit; for a header, that of the frame before it.
    var number: UInt8 = 0
    /// The newest commit that was known to be durable when the entry was written.
    var durable: UInt8 = 0
    /// The header of a frame's segment.
    var segment: UInt8 = 0
    /// For a header: the number of the half's use; the header's segment begins or continues that
    /// use.
    var use: UInt8 = 0
    /// The origin of the entry: for a frame, the process that wrote it; for a header, the world.
    var author: UInt8 = 0
    /// The tree that a root frame names.
    var tree: UInt8 = 0

    static let nothing: UInt8 = 0
    static let beginning: UInt8 = 1

    var isFrame: Bool { kind == .part || kind == .ordinary || kind == .root }
}
