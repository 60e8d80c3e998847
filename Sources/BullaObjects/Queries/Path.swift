/// The way from an object to a value: over properties, into what is embedded, along links.
package struct Path: Sendable, Hashable {
    package enum Step: Sendable, Hashable {
        /// The property of a number, of the object or the embedded value at hand.
        case property(Int)
        /// Into the value at hand, which is of an embedded type.
        case embedded(Int)
        /// To the object of a model whose key the value at hand is.
        case link(Int)
        /// To the keys of the objects of a model that refer to the one at hand, found by an index.
        case backlinks(model: Int, index: Int)
    }

    package var steps: [Step]

    /// The value at hand itself: an element of a list.
    package static let element = Path(steps: [])

    package init(steps: [Step]) { self.steps = steps }

    package init(_ property: Int) { steps = [.property(property)] }
}
