/// A condition on a model's objects, made of columns and operators.
public struct Condition<Root: Sendable>: Sendable {
    package let filter: FilterTree<ColumnPath>

    package init(_ filter: FilterTree<ColumnPath>) { self.filter = filter }

    /// Whether both conditions hold.
    public static func && (one: Self, other: Self) -> Self {
        Self(.all([one.filter, other.filter]))
    }

    /// Whether at least one of the two conditions holds.
    public static func || (one: Self, other: Self) -> Self {
        Self(.any([one.filter, other.filter]))
    }

    /// Whether the condition does not hold.
    public static prefix func ! (condition: Self) -> Self { Self(.not(condition.filter)) }
}

extension Column where Value: Storable {
    /// Whether the property's value equals `value`.
    public static func == (column: Self, value: Value) -> Condition<Root> {
        column.test(.equal, value)
    }

    /// Whether the property's value differs from `value`.
    public static func != (column: Self, value: Value) -> Condition<Root> {
        column.test(.unequal, value)
    }

    /// Whether the property's value sorts before `value`.
    public static func < (column: Self, value: Value) -> Condition<Root> {
        column.test(.less, value)
    }

    /// Whether the property's value equals `value` or sorts before it.
    public static func <= (column: Self, value: Value) -> Condition<Root> {
        column.test(.atMost, value)
    }

    /// Whether the property's value sorts after `value`.
    public static func > (column: Self, value: Value) -> Condition<Root> {
        column.test(.greater, value)
    }

    /// Whether the property's value equals `value` or sorts after it.
    public static func >= (column: Self, value: Value) -> Condition<Root> {
        column.test(.atLeast, value)
    }

    /// Whether the property's value is one of `values`.
    public func isIn(_ values: some Sequence<Value>) -> Condition<Root> {
        Condition(.test(path, .oneOf(Set(values.map { $0.scalar.bytes }))))
    }

    /// Whether the property's value lies between the two bounds, both included.
    public func isIn(_ range: ClosedRange<Value>) -> Condition<Root> where Value: Comparable {
        self >= range.lowerBound && self <= range.upperBound
    }

    /// Whether the property's value lies between the two bounds, the upper one excluded.
    public func isIn(_ range: Range<Value>) -> Condition<Root> where Value: Comparable {
        self >= range.lowerBound && self < range.upperBound
    }

    private func test(_ comparison: FilterWord.Comparison, _ value: Value) -> Condition<Root> {
        Condition(.test(path, .compare(comparison, value.scalar.bytes)))
    }
}

extension Column {
    /// Whether the property's value equals `value`; nil equals only nil.
    public static func == <Wrapped: Storable>(
        column: Self, value: Wrapped?
    ) -> Condition<Root> where Value == Wrapped? {
        Condition(column.equals(value?.scalar.bytes))
    }

    /// Whether the property's value differs from `value`; nil differs from everything but nil.
    public static func != <Wrapped: Storable>(
        column: Self, value: Wrapped?
    ) -> Condition<Root> where Value == Wrapped? {
        !(column == value)
    }

    /// Whether the property's value sorts before `value`; false for nil.
    public static func < <Wrapped: Storable>(
        column: Self, value: Wrapped
    ) -> Condition<Root> where Value == Wrapped? {
        Condition(.test(column.path, .compare(.less, value.scalar.bytes)))
    }

    /// Whether the property's value equals `value` or sorts before it; false for nil.
    public static func <= <Wrapped: Storable>(
        column: Self, value: Wrapped
    ) -> Condition<Root> where Value == Wrapped? {
        Condition(.test(column.path, .compare(.atMost, value.scalar.bytes)))
    }

    /// Whether the property's value sorts after `value`; false for nil.
    public static func > <Wrapped: Storable>(
        column: Self, value: Wrapped
    ) -> Condition<Root> where Value == Wrapped? {
        Condition(.test(column.path, .compare(.greater, value.scalar.bytes)))
    }

    /// Whether the property's value equals `value` or sorts after it; false for nil.
    public static func >= <Wrapped: Storable>(
        column: Self, value: Wrapped
    ) -> Condition<Root> where Value == Wrapped? {
        Condition(.test(column.path, .compare(.atLeast, value.scalar.bytes)))
    }

    /// Whether the property equals `link`; nil equals only nil.
    public static func == <Target: Model>(
        column: Self, link: Link<Target>?
    ) -> Condition<Root> where Value == Link<Target>? {
        Condition(column.equals(link?.orderedKey.bytes))
    }

    /// Whether the property differs from `link`; nil differs from every link, but not from nil.
    public static func != <Target: Model>(
        column: Self, link: Link<Target>?
    ) -> Condition<Root> where Value == Link<Target>? {
        !(column == link)
    }

    /// Whether the property refers to `object`.
    public static func == <Target: Model>(
        column: Self, object: Target
    ) -> Condition<Root> where Value == Link<Target>? {
        column == Link(object)
    }

    /// Whether the property does not refer to `object`; true for nil.
    public static func != <Target: Model>(
        column: Self, object: Target
    ) -> Condition<Root> where Value == Link<Target>? {
        column != Link(object)
    }

    /// Whether the property equals `link`.
    public static func == <Target: Model>(
        column: Self, link: Link<Target>
    ) -> Condition<Root> where Value == Link<Target> {
        Condition(column.equals(link.orderedKey.bytes))
    }

    /// Whether the property differs from `link`.
    public static func != <Target: Model>(
        column: Self, link: Link<Target>
    ) -> Condition<Root> where Value == Link<Target> {
        !(column == link)
    }

    /// Whether the property refers to `object`.
    public static func == <Target: Model>(
        column: Self, object: Target
    ) -> Condition<Root> where Value == Link<Target> {
        column == Link(object)
    }

    /// Whether the property does not refer to `object`.
    public static func != <Target: Model>(
        column: Self, object: Target
    ) -> Condition<Root> where Value == Link<Target> {
        column != Link(object)
    }

    /// Whether the property, of whatever kind, is nil.
    public func isNil<Wrapped: SingleValue>() -> Condition<Root> where Value == Wrapped? {
        Condition(.test(path, .isNil))
    }

    private func equals(_ bytes: [UInt8]?) -> FilterTree<ColumnPath> {
        guard let bytes else { return .test(path, .isNil) }
        return .test(path, .compare(.equal, bytes))
    }
}

extension FilterTree<ColumnPath> {
    /// The filter with `first` prepended to each of its paths, so that they begin at an element of
    /// a list.
    package func behind(_ first: ColumnPath.Step) -> Self {
        switch self {
        case .constant: self
        case .not(let filter): .not(filter.behind(first))
        case .all(let filters): .all(filters.map { $0.behind(first) })
        case .any(let filters): .any(filters.map { $0.behind(first) })
        case .test(let path, let test): .test(path.behind(first), test)
        case .compare(let one, let comparison, let other):
            .compare(one.behind(first), comparison, other.behind(first))
        case .elements(let path, let quantifier, let filter):
            .elements(path.behind(first), quantifier, filter)
        case .count(let path, let comparison, let count):
            .count(path.behind(first), comparison, count)
        }
    }
}
