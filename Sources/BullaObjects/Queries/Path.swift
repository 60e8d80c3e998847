/// The path from an object to a value: through properties, into embedded values, along links.
package struct Path: Sendable, Hashable {
    package enum Step: Sendable, Hashable {
        /// The property with this number, of the current object or embedded value.
        case property(Int)
        /// Into the current value, which is of an embedded type.
        case embedded(Int)
        /// To an object of the model with this number; the current value is the object's key.
        case link(Int)
        /// Through an index, to the keys of a model's objects that link to the current object.
        case backlinks(model: Int, index: Int)
    }

    package var steps: [Step]

    /// The current value itself: an element of a list.
    package static let element = Path(steps: [])

    package init(steps: [Step]) { self.steps = steps }

    package init(_ property: Int) { steps = [.property(property)] }
}
