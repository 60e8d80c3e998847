/// A property, as conditions, orders and indexes name it.
///
/// From a link's column you reach the columns of the linked object, as in `$0.company.name`. From
/// an embedded value's column you reach the columns of that value. If the link is nil, or the
/// linked object is missing, the object's columns are nil, too.
@dynamicMemberLookup
public struct Column<Root: Sendable, Value: PropertyValue>: Sendable {
    package let path: ColumnPath

    package init(_ path: ColumnPath) { self.path = path }
}

extension Column where Root: Model {
    /// The property with this ordinal, in the order of declaration.
    public init(_ ordinal: Int) {
        self.init(ColumnPath(.model(Root.modelName), [.property(ordinal)]))
    }
}

extension Column where Root: Embedded {
    /// The property with this ordinal, in the order of declaration.
    public init(_ ordinal: Int) { self.init(ColumnPath(.element, [.property(ordinal)])) }
}

/// Access to linked objects.
extension Column {
    /// A property of the linked object; nil if the link refers to no object.
    public subscript<Target: Model, Next: SingleValue>(
        dynamicMember member: KeyPath<Target.Columns, Column<Target, Next>>
    ) -> Column<Root, Next?> where Value == Link<Target>? { behindLink(member) }

    /// An optional property of the linked object; also nil if the link refers to no object.
    public subscript<Target: Model, Next: SingleValue>(
        dynamicMember member: KeyPath<Target.Columns, Column<Target, Next?>>
    ) -> Column<Root, Next?> where Value == Link<Target>? { behindLink(member) }

    /// A property of the linked object; nil if the object is missing.
    public subscript<Target: Model, Next: SingleValue>(
        dynamicMember member: KeyPath<Target.Columns, Column<Target, Next>>
    ) -> Column<Root, Next?> where Value == Link<Target> { behindLink(member) }

    /// An optional property of the linked object; also nil if the object is missing.
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

/// Access to embedded values.
extension Column {
    /// A property of an embedded value.
    public subscript<Next: PropertyValue>(
        dynamicMember member: KeyPath<Value.Columns, Column<Value, Next>>
    ) -> Column<Root, Next> where Value: Embedded { inside(member) }

    /// A property of an embedded value; nil if the embedded value is nil.
    public subscript<Inner: Embedded, Next: SingleValue>(
        dynamicMember member: KeyPath<Inner.Columns, Column<Inner, Next>>
    ) -> Column<Root, Next?> where Value == Inner? { inside(member) }

    /// An optional property of an embedded value; also nil if the embedded value is nil.
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
