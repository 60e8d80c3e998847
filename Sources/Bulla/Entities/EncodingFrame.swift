/// Which item of an output a container writes.
///
/// The serial tells it from another that has its index later.
struct EncodingPlace {
    let index: Int
    let serial: Int

    /// Of a container that could not be made.
    static let none = EncodingPlace(index: -1, serial: -1)
}

/// An item that may still grow, where it lies in the output.
struct EncodingFrame {
    enum Kind {
        /// Nothing has been encoded; an empty map stands there, which takes one byte.
        case empty
        case single, array, map
    }

    let serial: Int
    /// The index of the frame around it; below zero for the entity itself.
    let parent: Int
    /// How many arrays and maps lie around it.
    let depth: Int
    /// Where its key begins; its head, where it has none.
    var origin: Int
    /// Where its head stands.
    var head: Int
    /// Where it ends; ``open`` while it ends with the output.
    var end = Self.open
    var kind = Kind.empty
    /// How many items lie in it; pairs, in a map.
    var count = 0

    static let open = -1

    var isOpen: Bool { end == Self.open }
}
