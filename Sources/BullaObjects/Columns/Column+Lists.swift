/// A value that has elements: a list or a set.
public protocol ManyValue: PropertyValue {
    /// The type of an element.
    associatedtype One: SingleValue
}

extension Array: ManyValue where Element: SingleValue {
    /// The type of an element.
    public typealias One = Element
}

extension Set: ManyValue where Element: SingleValue {
    /// The type of an element.
    public typealias One = Element
}

/// Lists and sets.
extension Column where Value: ManyValue {
    /// Whether one of the elements equals `element`.
    public func contains(_ element: Value.One) -> Condition<Root> where Value.One: Storable {
        Condition(
            .elements(path, .some, .test(.element, .compare(.equal, element.scalar.bytes))))
    }

    /// Whether one of the elements equals `link`.
    public func contains<Target: Model>(
        _ link: Link<Target>
    ) -> Condition<Root> where Value.One == Link<Target> {
        Condition(
            .elements(path, .some, .test(.element, .compare(.equal, link.orderedKey.bytes))))
    }

    /// How many elements there are.
    public var count: CountColumn<Root> { CountColumn(path) }
}

/// Lists and sets of plain values.
///
/// A condition gets one element at a time, as a column.
extension Column where Value: ManyValue, Value.One: Storable {
    /// Whether at least one element passes.
    public func any(
        _ condition: (Column<Value.One, Value.One>) -> Condition<Value.One>
    ) -> Condition<Root> { plainElements(.some, condition) }

    /// Whether all elements pass; true if there are none.
    public func all(
        _ condition: (Column<Value.One, Value.One>) -> Condition<Value.One>
    ) -> Condition<Root> { plainElements(.every, condition) }

    /// Whether no element passes.
    public func none(
        _ condition: (Column<Value.One, Value.One>) -> Condition<Value.One>
    ) -> Condition<Root> { plainElements(.none, condition) }

    private func plainElements(
        _ quantifier: FilterWord.Quantifier,
        _ condition: (Column<Value.One, Value.One>) -> Condition<Value.One>
    ) -> Condition<Root> {
        Condition(
            .elements(path, quantifier, condition(Column<Value.One, Value.One>(.element)).filter))
    }
}

/// Lists and sets of links.
///
/// If a linked object is missing, all its properties are nil in the condition.
extension Column where Value: ManyValue {
    /// Whether at least one linked object passes.
    public func any<Target: Model>(
        _ condition: (Target.Columns) -> Condition<Target>
    ) -> Condition<Root> where Value.One == Link<Target> {
        elements(.some, .link(Target.modelName), condition(Target.columns))
    }

    /// Whether all linked objects pass; true if there are no links.
    public func all<Target: Model>(
        _ condition: (Target.Columns) -> Condition<Target>
    ) -> Condition<Root> where Value.One == Link<Target> {
        elements(.every, .link(Target.modelName), condition(Target.columns))
    }

    /// Whether no linked object passes.
    public func none<Target: Model>(
        _ condition: (Target.Columns) -> Condition<Target>
    ) -> Condition<Root> where Value.One == Link<Target> {
        elements(.none, .link(Target.modelName), condition(Target.columns))
    }
}

/// Lists and sets of embedded values.
extension Column where Value: ManyValue {
    /// Whether at least one value passes.
    public func any<Inner: Embedded>(
        _ condition: (Inner.Columns) -> Condition<Inner>
    ) -> Condition<Root> where Value.One == Inner {
        elements(.some, .embedded(Inner.embeddedName), condition(Inner.columns))
    }

    /// Whether all values pass; true if there are none.
    public func all<Inner: Embedded>(
        _ condition: (Inner.Columns) -> Condition<Inner>
    ) -> Condition<Root> where Value.One == Inner {
        elements(.every, .embedded(Inner.embeddedName), condition(Inner.columns))
    }

    /// Whether no value passes.
    public func none<Inner: Embedded>(
        _ condition: (Inner.Columns) -> Condition<Inner>
    ) -> Condition<Root> where Value.One == Inner {
        elements(.none, .embedded(Inner.embeddedName), condition(Inner.columns))
    }
}

extension Column {
    private func elements<Element>(
        _ quantifier: FilterWord.Quantifier, _ first: ColumnPath.Step,
        _ condition: Condition<Element>
    ) -> Condition<Root> {
        Condition(.elements(path, quantifier, condition.filter.behind(first)))
    }
}

/// A count, for comparison with a number.
public struct CountColumn<Root: Sendable>: Sendable {
    private let path: ColumnPath

    init(_ path: ColumnPath) { self.path = path }

    /// Whether the count equals the number.
    public static func == (column: Self, count: Int) -> Condition<Root> {
        Condition(.count(column.path, .equal, count))
    }

    /// Whether the count differs from the number.
    public static func != (column: Self, count: Int) -> Condition<Root> {
        Condition(.count(column.path, .unequal, count))
    }

    /// Whether the count is less than the number.
    public static func < (column: Self, count: Int) -> Condition<Root> {
        Condition(.count(column.path, .less, count))
    }

    /// Whether the count is at most the number.
    public static func <= (column: Self, count: Int) -> Condition<Root> {
        Condition(.count(column.path, .atMost, count))
    }

    /// Whether the count is greater than the number.
    public static func > (column: Self, count: Int) -> Condition<Root> {
        Condition(.count(column.path, .greater, count))
    }

    /// Whether the count is at least the number.
    public static func >= (column: Self, count: Int) -> Condition<Root> {
        Condition(.count(column.path, .atLeast, count))
    }
}
