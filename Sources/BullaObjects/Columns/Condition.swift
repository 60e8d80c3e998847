/// What a query demands of the objects of a model: made of columns and operators.
public struct Condition<Root: Sendable>: Sendable {
    package let filter: FilterTree<ColumnPath>

    package init(_ filter: FilterTree<ColumnPath>) { self.filter = filter }

    /// Both.
    public static func && (one: Self, other: Self) -> Self {
        Self(.all([one.filter, other.filter]))
    }

    /// One of the two, or both.
    public static func || (one: Self, other: Self) -> Self {
        Self(.any([one.filter, other.filter]))
    }

    /// Not.
    public static prefix func ! (condition: Self) -> Self { Self(.not(condition.filter)) }
}

extension Column where Value: Storable {
    /// Whether the property has this value.
    public static func == (column: Self, value: Value) -> Condition<Root> {
        column.test(.equal, value)
    }

    /// Whether it has another.
    public static func != (column: Self, value: Value) -> Condition<Root> {
        column.test(.unequal, value)
    }

    /// Whether it has one that sorts before this.
    public static func < (column: Self, value: Value) -> Condition<Root> {
        column.test(.less, value)
    }

    /// Whether it has this, or one that sorts before it.
    public static func <= (column: Self, value: Value) -> Condition<Root> {
        column.test(.atMost, value)
    }

    /// Whether it has one that sorts after this.
    public static func > (column: Self, value: Value) -> Condition<Root> {
        column.test(.greater, value)
    }

    /// Whether it has this, or one that sorts after it.
    public static func >= (column: Self, value: Value) -> Condition<Root> {
        column.test(.atLeast, value)
    }

    /// Whether it has one of these.
    public func isIn(_ values: some Sequence<Value>) -> Condition<Root> {
        Condition(.test(path, .oneOf(Set(values.map { $0.scalar.bytes }))))
    }

    /// Whether it lies between two values, both of which count.
    public func isIn(_ range: ClosedRange<Value>) -> Condition<Root> where Value: Comparable {
        self >= range.lowerBound && self <= range.upperBound
    }

    /// Whether it lies between two values, the second of which does not count.
    public func isIn(_ range: Range<Value>) -> Condition<Root> where Value: Comparable {
        self >= range.lowerBound && self < range.upperBound
    }

    private func test(_ comparison: FilterWord.Comparison, _ value: Value) -> Condition<Root> {
        Condition(.test(path, .compare(comparison, value.scalar.bytes)))
    }
}

extension Column {
    /// Whether the property has this value, or is nil where this is nil.
    public static func == <Wrapped: Storable>(
        column: Self, value: Wrapped?
    ) -> Condition<Root> where Value == Wrapped? {
        Condition(column.equals(value?.scalar.bytes))
    }

    /// Whether it has another, nil included; or is not nil where this is nil.
    public static func != <Wrapped: Storable>(
        column: Self, value: Wrapped?
    ) -> Condition<Root> where Value == Wrapped? {
        !(column == value)
    }

    /// Whether it has one that sorts before this; nil does not.
    public static func < <Wrapped: Storable>(
        column: Self, value: Wrapped
    ) -> Condition<Root> where Value == Wrapped? {
        Condition(.test(column.path, .compare(.less, value.scalar.bytes)))
    }

    /// Whether it has this, or one that sorts before it; nil does not.
    public static func <= <Wrapped: Storable>(
        column: Self, value: Wrapped
    ) -> Condition<Root> where Value == Wrapped? {
        Condition(.test(column.path, .compare(.atMost, value.scalar.bytes)))
    }

    /// Whether it has one that sorts after this; nil does not.
    public static func > <Wrapped: Storable>(
        column: Self, value: Wrapped
    ) -> Condition<Root> where Value == Wrapped? {
        Condition(.test(column.path, .compare(.greater, value.scalar.bytes)))
    }

    /// Whether it has this, or one that sorts after it; nil does not.
    public static func >= <Wrapped: Storable>(
        column: Self, value: Wrapped
    ) -> Condition<Root> where Value == Wrapped? {
        Condition(.test(column.path, .compare(.atLeast, value.scalar.bytes)))
    }

    /// Whether it refers to this, or to nothing where this is nil.
    public static func == <Target: Model>(
        column: Self, link: Link<Target>?
    ) -> Condition<Root> where Value == Link<Target>? {
        Condition(column.equals(link?.orderedKey.bytes))
    }

    /// Whether it refers to something else, nothing included.
    public static func != <Target: Model>(
        column: Self, link: Link<Target>?
    ) -> Condition<Root> where Value == Link<Target>? {
        !(column == link)
    }

    /// Whether it refers to this object.
    public static func == <Target: Model>(
        column: Self, object: Target
    ) -> Condition<Root> where Value == Link<Target>? {
        column == Link(object)
    }

    /// Whether it refers to something other than this object, nothing included.
    public static func != <Target: Model>(
        column: Self, object: Target
    ) -> Condition<Root> where Value == Link<Target>? {
        column != Link(object)
    }

    /// Whether it refers to this.
    public static func == <Target: Model>(
        column: Self, link: Link<Target>
    ) -> Condition<Root> where Value == Link<Target> {
        Condition(column.equals(link.orderedKey.bytes))
    }

    /// Whether it refers to something else.
    public static func != <Target: Model>(
        column: Self, link: Link<Target>
    ) -> Condition<Root> where Value == Link<Target> {
        !(column == link)
    }

    /// Whether it refers to this object.
    public static func == <Target: Model>(
        column: Self, object: Target
    ) -> Condition<Root> where Value == Link<Target> {
        column == Link(object)
    }

    /// Whether it refers to an object other than this.
    public static func != <Target: Model>(
        column: Self, object: Target
    ) -> Condition<Root> where Value == Link<Target> {
        column != Link(object)
    }

    /// Whether it is nil, whatever it holds otherwise: an embedded value, say.
    public func isNil<Wrapped: SingleValue>() -> Condition<Root> where Value == Wrapped? {
        Condition(.test(path, .isNil))
    }

    private func equals(_ bytes: [UInt8]?) -> FilterTree<ColumnPath> {
        guard let bytes else { return .test(path, .isNil) }
        return .test(path, .compare(.equal, bytes))
    }
}

extension FilterTree<ColumnPath> {
    /// The same filter of an element, which a first step leads to where it begins.
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
