/// A property, as conditions, orders and indexes name it.
///
/// A column of a link leads on to the columns of what it refers to, and one of an embedded value to
/// those of its type: `$0.company.name`. Where a link, or a value on the way, is nil, so is what
/// would come after it.
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

extension Column where Root: Embedded {
    /// The property of an ordinal, in the order of declaration.
    public init(embedded ordinal: Int) {
        self.init(ColumnPath(.embedded(Root.embeddedName), [.property(ordinal)]))
    }
}

/// Along links, and into embedded values.
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
