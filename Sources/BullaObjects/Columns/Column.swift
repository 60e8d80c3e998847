/// A property, as conditions, orders and indexes name it.
///
/// A column of a link that may be nil leads on to the columns of what it refers to:
/// `$0.company.name`. Where the link is nil, or what it refers to is not there, so is what would
/// come after it.
@dynamicMemberLookup
public struct Column<Root: Sendable, Value: PropertyValue>: Sendable {
    package let path: ColumnPath

    package init(_ path: ColumnPath) { self.path = path }
}

extension Column where Root: Model {
    /// The property of an ordinal, in the order of declaration.
    public init(_ ordinal: Int) {
        self.init(ColumnPath(.model(Root.modelName), [.property(ordinal)]))
    }
}

/// Along links.
extension Column {
    /// A property of what a link refers to; nil where it refers to nothing.
    public subscript<Target: Model, Next: SingleValue>(
        dynamicMember member: KeyPath<Target.Columns, Column<Target, Next>>
    ) -> Column<Root, Next?> where Value == Link<Target>? {
        Column<Root, Next?>(
            path.appending(
                [.link(Target.modelName)] + Target.columns[keyPath: member].path.steps))
    }

    /// A property that may be nil of what a link refers to; nil, too, where it refers to nothing.
    public subscript<Target: Model, Next: SingleValue>(
        dynamicMember member: KeyPath<Target.Columns, Column<Target, Next?>>
    ) -> Column<Root, Next?> where Value == Link<Target>? {
        Column<Root, Next?>(
            path.appending(
                [.link(Target.modelName)] + Target.columns[keyPath: member].path.steps))
    }
}
