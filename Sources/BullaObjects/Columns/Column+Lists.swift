/// What has elements: a list or a set.
public protocol ManyValue: PropertyValue {
    /// What an element is.
    associatedtype One: SingleValue
}

extension Array: ManyValue where Element: SingleValue {
    /// What an element is.
    public typealias One = Element
}

extension Set: ManyValue where Element: SingleValue {
    /// What an element is.
    public typealias One = Element
}

/// Lists and sets.
extension Column where Value: ManyValue {
    /// Whether one of the elements is this.
    public func contains(_ element: Value.One) -> Condition<Root> where Value.One: Storable {
        Condition(
            .elements(path, .some, .test(.element, .compare(.equal, element.scalar.bytes))))
    }

    /// Whether one of the elements is this link.
    public func contains<Target: Model>(
        _ link: Link<Target>
    ) -> Condition<Root> where Value.One == Link<Target> {
        Condition(
            .elements(path, .some, .test(.element, .compare(.equal, link.orderedKey.bytes))))
    }

    /// How many elements there are.
    public var count: CountColumn<Root> { CountColumn(path) }
}

/// Lists and sets of plain values, which a condition gets as a column of their own.
extension Column where Value: ManyValue, Value.One: Storable {
    /// Whether one of the elements passes.
    public func any(
        _ condition: (Column<Value.One, Value.One>) -> Condition<Value.One>
    ) -> Condition<Root> { plainElements(.some, condition) }

    /// Whether all elements pass; where there is none they do.
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

/// Lists and sets of links. An object that is not there has nil in every property of a condition.
extension Column where Value: ManyValue {
    /// Whether an object that one of the links refers to passes.
    public func any<Target: Model>(
        _ condition: (Target.Columns) -> Condition<Target>
    ) -> Condition<Root> where Value.One == Link<Target> {
        elements(.some, .link(Target.modelName), condition(Target.columns))
    }

    /// Whether all objects pass that the links refer to; where there is no link they do.
    public func all<Target: Model>(
        _ condition: (Target.Columns) -> Condition<Target>
    ) -> Condition<Root> where Value.One == Link<Target> {
        elements(.every, .link(Target.modelName), condition(Target.columns))
    }

    /// Whether no object passes that one of the links refers to.
    public func none<Target: Model>(
        _ condition: (Target.Columns) -> Condition<Target>
    ) -> Condition<Root> where Value.One == Link<Target> {
        elements(.none, .link(Target.modelName), condition(Target.columns))
    }
}

/// Lists and sets of embedded values.
extension Column where Value: ManyValue {
    /// Whether one of the values passes.
    public func any<Inner: Embedded>(
        _ condition: (Inner.Columns) -> Condition<Inner>
    ) -> Condition<Root> where Value.One == Inner {
        elements(.some, .embedded(Inner.embeddedName), condition(Inner.columns))
    }

    /// Whether all values pass; where there is none they do.
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

/// How many there are of something, to be compared with a number.
public struct CountColumn<Root: Sendable>: Sendable {
    private let path: ColumnPath

    init(_ path: ColumnPath) { self.path = path }

    /// Whether there are so many.
    public static func == (column: Self, count: Int) -> Condition<Root> {
        Condition(.count(column.path, .equal, count))
    }

    /// Whether there are more or fewer.
    public static func != (column: Self, count: Int) -> Condition<Root> {
        Condition(.count(column.path, .unequal, count))
    }

    /// Whether there are fewer.
    public static func < (column: Self, count: Int) -> Condition<Root> {
        Condition(.count(column.path, .less, count))
    }

    /// Whether there are so many at most.
    public static func <= (column: Self, count: Int) -> Condition<Root> {
        Condition(.count(column.path, .atMost, count))
    }

    /// Whether there are more.
    public static func > (column: Self, count: Int) -> Condition<Root> {
        Condition(.count(column.path, .greater, count))
    }

    /// Whether there are so many at least.
    public static func >= (column: Self, count: Int) -> Condition<Root> {
        Condition(.count(column.path, .atLeast, count))
    }
}
