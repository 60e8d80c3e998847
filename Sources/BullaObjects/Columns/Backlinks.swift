/// The objects that refer to one by a link: found by the link's index, and never stored.
///
/// The macro `@Backlinks` makes them of a property; by hand, they are one that is computed, and a
/// column of their own:
///
/// ```swift
/// var staff: Backlinks<Employee> { Backlinks(to: self, by: \.company) }
/// // among the columns of the model:
/// let staff = BacklinksColumn<Company, Employee>("company")
/// ```
///
/// They are a query: fetch it, count it, add conditions to it.
public struct Backlinks<Source: Model>: Sendable {
    /// The objects that refer to it.
    public let query: Query<Source>

    /// The objects that refer to one by a link that may be nil.
    public init<Target: Model>(
        to object: Target, by link: KeyPath<Source.Columns, Column<Source, Link<Target>?>>
    ) {
        query = Source.where { $0[keyPath: link] == object }
    }

    /// The objects that refer to one by a link.
    public init<Target: Model>(
        to object: Target, by link: KeyPath<Source.Columns, Column<Source, Link<Target>>>
    ) {
        query = Source.where { $0[keyPath: link] == Link(object) }
    }

    /// The objects that refer to one by a list or a set of links.
    public init<Target: Model, Links: ManyValue>(
        to object: Target, by links: KeyPath<Source.Columns, Column<Source, Links>>
    ) where Links.One == Link<Target> {
        query = Source.where { $0[keyPath: links].contains(Link(object)) }
    }
}

/// The objects that refer to one by a link, as conditions name them.
public struct BacklinksColumn<Root: Model, Source: Model>: Sendable {
    private let path: ColumnPath

    /// Those that refer to it by the property of this name.
    public init(_ property: String) {
        path = ColumnPath(
            .model(Root.modelName), [.backlinks(model: Source.modelName, property: property)])
    }

    /// How many refer to it.
    public var count: CountColumn<Root> { CountColumn(path) }

    /// Whether one of those that refer to it passes.
    public func any(_ condition: (Source.Columns) -> Condition<Source>) -> Condition<Root> {
        quantify(.some, condition)
    }

    /// Whether all that refer to it pass; where none does they do.
    public func all(_ condition: (Source.Columns) -> Condition<Source>) -> Condition<Root> {
        quantify(.every, condition)
    }

    /// Whether none of those that refer to it passes.
    public func none(_ condition: (Source.Columns) -> Condition<Source>) -> Condition<Root> {
        quantify(.none, condition)
    }

    private func quantify(
        _ quantifier: FilterWord.Quantifier, _ condition: (Source.Columns) -> Condition<Source>
    ) -> Condition<Root> {
        let filter = condition(Source.columns).filter.behind(.link(Source.modelName))
        return Condition(.elements(path, quantifier, filter))
    }
}
