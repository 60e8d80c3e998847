/// A property, as conditions, orders and indexes name it.
///
/// A column of a link leads on to the columns of what it refers to, `$0.company.name`, and one of
/// an embedded value to those of the value. Where the link is nil, or what it refers to is not
/// there, so is what would come after it.
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
    public init(_ ordinal: Int) { self.init(ColumnPath(.element, [.property(ordinal)])) }
}

/// Along links.
extension Column {
    /// A property of what a link refers to; nil where it refers to nothing.
    public subscript<Target: Model, Next: SingleValue>(
        dynamicMember member: KeyPath<Target.Columns, Column<Target, Next>>
    ) -> Column<Root, Next?> where Value == Link<Target>? { behindLink(member) }

    /// A property that may be nil of what a link refers to; nil, too, where it refers to nothing.
    public subscript<Target: Model, Next: SingleValue>(
        dynamicMember member: KeyPath<Target.Columns, Column<Target, Next?>>
    ) -> Column<Root, Next?> where Value == Link<Target>? { behindLink(member) }

    /// A property of what a link refers to; nil where that is not there.
    public subscript<Target: Model, Next: SingleValue>(
        dynamicMember member: KeyPath<Target.Columns, Column<Target, Next>>
    ) -> Column<Root, Next?> where Value == Link<Target> { behindLink(member) }

    /// A property that may be nil of what a link refers to; nil, too, where that is not there.
    public subscript<Target: Model, Next: SingleValue>(
        dynamicMember member: KeyPath<Target.Columns, Column<Target, Next?>>
    ) -> Column<Root, Next?> where Value == Link<Target> { behindLink(member) }

    private func behindLink<Target: Model, Next: PropertyValue, Result: PropertyValue>(
        _ member: KeyPath<Target.Columns, Column<Target, Next>>
    ) -> Column<Root, Result> {
        Column<Root, Result>(
            path.appending(
                [.link(Target.modelName)] + Target.columns[keyPath: member].path.steps))
    }
}

/// Into embedded values.
extension Column {
    /// A property of an embedded value.
    public subscript<Next: PropertyValue>(
        dynamicMember member: KeyPath<Value.Columns, Column<Value, Next>>
    ) -> Column<Root, Next> where Value: Embedded { inside(member) }

    /// A property of an embedded value; nil where that is nil.
    public subscript<Inner: Embedded, Next: SingleValue>(
        dynamicMember member: KeyPath<Inner.Columns, Column<Inner, Next>>
    ) -> Column<Root, Next?> where Value == Inner? { inside(member) }

    /// A property that may be nil of an embedded value; nil, too, where that is nil.
    public subscript<Inner: Embedded, Next: SingleValue>(
        dynamicMember member: KeyPath<Inner.Columns, Column<Inner, Next?>>
    ) -> Column<Root, Next?> where Value == Inner? { inside(member) }

    private func inside<Inner: Embedded, Next: PropertyValue, Result: PropertyValue>(
        _ member: KeyPath<Inner.Columns, Column<Inner, Next>>
    ) -> Column<Root, Result> {
        Column<Root, Result>(
            path.appending(
                [.embedded(Inner.embeddedName)] + Inner.columns[keyPath: member].path.steps))
    }
}
