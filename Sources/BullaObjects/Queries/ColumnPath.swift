/// The path from an object to a value, as a program names it: by ordinals and names of types.
package struct ColumnPath: Sendable, Hashable {
    package enum Step: Sendable, Hashable {
        case property(Int)
        /// Into the current value, which is of the embedded type with this name.
        case embedded(String)
        case link(String)
        /// To the objects of a model that link to the current object by the property with this
        /// name.
        case backlinks(model: String, property: String)
    }

    /// The type whose properties the first step names.
    package enum Start: Sendable, Hashable {
        case model(String)
        /// An element of a list.
        case element
    }

    package var start: Start
    package var steps: [Step]

    package init(_ start: Start, _ steps: [Step]) { (self.start, self.steps) = (start, steps) }

    package static let element = ColumnPath(.element, [])

    package func appending(_ steps: [Step]) -> ColumnPath { ColumnPath(start, self.steps + steps) }

    /// A path from an element of a list: first the given step, then the steps of this path.
    package func behind(_ first: Step) -> ColumnPath { ColumnPath(.element, [first] + steps) }

    /// The path with the numbers of the store's schema in place of ordinals and names.
    ///
    /// - Throws: `invalidModel` if the database was opened without a model on the path.
    package func bound(to bindings: _ObjectBindings) throws(ObjectError) -> Path {
        var path = Path.element
        var type: TypeBinding? =
            switch start {
            case .model(let name): try bindings.model(name)
            case .element: nil
            }
        for step in steps {
            switch step {
            case .property(let ordinal):
                guard let number = type?.numbers[ordinal] else { throw Self.broken }
                path.steps.append(.property(number))
            case .link(let name):
                let next = try bindings.model(name)
                path.steps.append(.link(next.number))
                type = next
            case .embedded(let name):
                let next = try bindings.embedded(name)
                path.steps.append(.embedded(next.number))
                type = next
            case .backlinks(let name, let property):
                let next = try bindings.model(name)
                guard let number = next.table?.model.property(named: property)?.number,
                    let index = next.table?.linkIndex(of: number)
                else { throw Self.broken }
                path.steps.append(.backlinks(model: next.number, index: index.number))
                type = next
            }
        }
        return path
    }

    private static var broken: ObjectError {
        ObjectError(.invalidModel, "use a condition: it names a property that is not there")
    }
}
