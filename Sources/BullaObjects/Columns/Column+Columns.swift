/// Comparisons of two columns.
extension Column {
    /// Whether both columns have the same value.
    public func equals(_ other: Column<Root, Value>) -> Condition<Root> where Value: Storable {
        compare(.equal, other)
    }

    /// Whether both columns have the same value; nil equals nil.
    public func equals<Wrapped: Storable>(
        _ other: Column<Root, Value>
    ) -> Condition<Root> where Value == Wrapped? { compare(.equal, other) }

    /// Whether both columns refer to the same object; nil equals nil.
    public func equals<Target: Model>(
        _ other: Column<Root, Value>
    ) -> Condition<Root> where Value == Link<Target>? { compare(.equal, other) }

    /// Whether this column's value sorts before the other's.
    public func isLess(than other: Column<Root, Value>) -> Condition<Root>
    where Value: Storable { compare(.less, other) }

    /// Whether this column's value sorts before the other's; false if either is nil.
    public func isLess<Wrapped: Storable>(
        than other: Column<Root, Value>
    ) -> Condition<Root> where Value == Wrapped? { compare(.less, other) }

    private func compare(
        _ comparison: FilterWord.Comparison, _ other: Column<Root, Value>
    ) -> Condition<Root> { Condition(.compare(path, comparison, other.path)) }
}

/// Dictionaries.
extension Column {
    /// Whether the dictionary has this value under this key.
    public func has<Entry: Storable>(
        _ value: Entry, forKey key: String
    ) -> Condition<Root> where Value == [String: Entry] {
        let filter = FilterTree<ColumnPath>.test(
            .element, .compare(.equal, value.scalar.bytes))
        return Condition(.test(path, .entry(Scalar.string(key).bytes, filter)))
    }

    /// Whether the dictionary has any value under this key.
    public func hasKey<Entry: SingleValue>(
        _ key: String
    ) -> Condition<Root> where Value == [String: Entry] {
        let filter = FilterTree<ColumnPath>.not(.test(.element, .isNil))
        return Condition(.test(path, .entry(Scalar.string(key).bytes, filter)))
    }
}
