/// The objects that link to an object; they are looked up in the link's index, not stored with the
/// object.
///
/// A property with the macro `@Backlinks` computes them. Without the macro, write a computed
/// property and a column:
///
/// ```swift
/// var staff: Backlinks<Employee> { Backlinks(to: self, by: \.company) }
/// // among the columns of the model:
/// let staff = BacklinksColumn<Company, Employee>("company")
/// ```
///
/// You can fetch or count their ``query``, or add conditions to it.
public struct Backlinks<Source: Model>: Sendable {
    /// The query for the linking objects.
    public let query: Query<Source>

    /// The objects that link to `object` through a link that can be nil.
    public init<Target: Model>(
        to object: Target, by link: KeyPath<Source.Columns, Column<Source, Link<Target>?>>
    ) {
        query = Source.where { $0[keyPath: link] == object }
    }

    /// The objects that link to `object` through a link that cannot be nil.
    public init<Target: Model>(
        to object: Target, by link: KeyPath<Source.Columns, Column<Source, Link<Target>>>
    ) {
        query = Source.where { $0[keyPath: link] == Link(object) }
    }

    /// The objects that link to `object` through a list or a set of links.
    public init<Target: Model, Links: ManyValue>(
        to object: Target, by links: KeyPath<Source.Columns, Column<Source, Links>>
    ) where Links.One == Link<Target> {
        query = Source.where { $0[keyPath: links].contains(Link(object)) }
    }
}

/// A column for conditions on the objects that link to an object.
public struct BacklinksColumn<Root: Model, Source: Model>: Sendable {
    private let path: ColumnPath

    /// The objects of `Source` that link to an object through the property with this name.
    public init(_ property: String) {
        path = ColumnPath(
            .model(Root.modelName), [.backlinks(model: Source.modelName, property: property)])
    }

    /// How many objects link to the object.
    public var count: CountColumn<Root> { CountColumn(path) }

    /// Whether at least one of the linking objects passes.
    public func any(_ condition: (Source.Columns) -> Condition<Source>) -> Condition<Root> {
        quantify(.some, condition)
    }

    /// Whether all linking objects pass; true if there are none.
    public func all(_ condition: (Source.Columns) -> Condition<Source>) -> Condition<Root> {
        quantify(.every, condition)
    }

    /// Whether no linking object passes.
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
