/// Names the item that a container writes in an output.
///
/// The serial distinguishes the item from a later one with the same index.
struct EncodingPlace {
    let index: Int
    let serial: Int

    /// Stands for a container that could not be made.
    static let none = EncodingPlace(index: -1, serial: -1)
}

/// An item that can still grow, and its place in the output.
struct EncodingFrame {
    enum Kind {
        /// The item has no content yet; an empty map of one byte stands in for it.
        case empty
        case single, array, map
    }

    let serial: Int
    /// The index of the enclosing frame; below zero for the entity itself.
    let parent: Int
    /// How many arrays and maps enclose it.
    let depth: Int
    /// Where its key begins, or its head if it has no key.
    var origin: Int
    /// Where its head begins.
    var head: Int
    /// Where it ends; ``open`` as long as it extends to the end of the output.
    var end = Self.open
    var kind = Kind.empty
    /// How many items it holds, or pairs if it is a map.
    var count = 0

    static let open = -1

    var isOpen: Bool { end == Self.open }
}
