internal import Bulla
internal import BullaMemory

/// Values computed from the objects that a query selects.
///
/// The query's limit applies. Nil values are ignored.
extension ObjectReader where Self: ~Copyable {
    /// The least value of a property; `nil` if there is none.
    ///
    /// - Throws: as ``fetch(_:key:)``.
    /// - Complexity: one lookup if the query has no condition and no limit, and an index has the
    ///   property's order; at worst, one read of each object.
    public func min<M: Model, Value: Storable>(
        _ column: KeyPath<M.Columns, Column<M, Value>>, of query: Query<M>
    ) throws(ObjectError) -> Value? {
        try extreme(M.columns[keyPath: column].path, .ascending, of: query)
    }

    /// The least value of an optional property; `nil` if there is none.
    public func min<M: Model, Value: Storable>(
        _ column: KeyPath<M.Columns, Column<M, Value?>>, of query: Query<M>
    ) throws(ObjectError) -> Value? {
        try extreme(M.columns[keyPath: column].path, .ascending, of: query)
    }

    /// The greatest value of a property; `nil` if there is none.
    ///
    /// - Throws, Complexity: as ``min(_:of:)``.
    public func max<M: Model, Value: Storable>(
        _ column: KeyPath<M.Columns, Column<M, Value>>, of query: Query<M>
    ) throws(ObjectError) -> Value? {
        try extreme(M.columns[keyPath: column].path, .descending, of: query)
    }

    /// The greatest value of an optional property; `nil` if there is none.
    public func max<M: Model, Value: Storable>(
        _ column: KeyPath<M.Columns, Column<M, Value?>>, of query: Query<M>
    ) throws(ObjectError) -> Value? {
        try extreme(M.columns[keyPath: column].path, .descending, of: query)
    }

    /// The sum of a property's values.
    ///
    /// - Throws: as ``fetch(_:key:)``; `tooLarge` if a partial sum exceeds the range of its type.
    /// - Complexity: one read of the property in each object.
    public func sum<M: Model, Value: SummableValue>(
        _ column: KeyPath<M.Columns, Column<M, Value>>, of query: Query<M>
    ) throws(ObjectError) -> Value {
        try sum(M.columns[keyPath: column].path, of: query)
    }

    /// The sum of an optional property's values.
    public func sum<M: Model, Value: SummableValue>(
        _ column: KeyPath<M.Columns, Column<M, Value?>>, of query: Query<M>
    ) throws(ObjectError) -> Value {
        try sum(M.columns[keyPath: column].path, of: query)
    }

    /// The mean of a property's values; `nil` if there is none.
    ///
    /// - Throws: as ``fetch(_:key:)``.
    /// - Complexity: one read of the property in each object.
    public func average<M: Model, Value: SummableValue>(
        _ column: KeyPath<M.Columns, Column<M, Value>>, of query: Query<M>
    ) throws(ObjectError) -> Double? {
        try average(M.columns[keyPath: column].path, Value.self, of: query)
    }

    /// The mean of an optional property's values; `nil` if there is none.
    public func average<M: Model, Value: SummableValue>(
        _ column: KeyPath<M.Columns, Column<M, Value?>>, of query: Query<M>
    ) throws(ObjectError) -> Double? {
        try average(M.columns[keyPath: column].path, Value.self, of: query)
    }

    /// The distinct values of a property, in ascending order.
    ///
    /// - Throws: as ``fetch(_:key:)``.
    /// - Complexity: one read of the property in each object; memory for each distinct value.
    public func distinct<M: Model, Value: Storable>(
        _ column: KeyPath<M.Columns, Column<M, Value>>, of query: Query<M>
    ) throws(ObjectError) -> [Value] {
        try distinct(M.columns[keyPath: column].path, of: query)
    }

    /// The distinct values of an optional property, without nil, in ascending order.
    public func distinct<M: Model, Value: Storable>(
        _ column: KeyPath<M.Columns, Column<M, Value?>>, of query: Query<M>
    ) throws(ObjectError) -> [Value] {
        try distinct(M.columns[keyPath: column].path, of: query)
    }
}

extension ObjectReader where Self: ~Copyable {
    private func extreme<M: Model, Value: Storable>(
        _ path: ColumnPath, _ order: ScanOrder, of query: Query<M>
    ) throws(ObjectError) -> Value? {
        // With a limit, the query might not select the object that comes first in the property's
        // order, so compare the values of all selected objects.
        guard query.limit == nil else {
            var best: [UInt8]?
            try forEachValue(path, of: query) { bytes, _ in
                let isBetter = best.map { best in
                    let comesFirst = bytes.lexicographicallyPrecedes(best)
                    return bytes != best && comesFirst == (order == .ascending)
                }
                if isBetter ?? true { best = bytes }
            }
            return try best.map { bytes throws(ObjectError) in try value(bytes, M.self) }
        }
        var first = query
        first.filter = .all([query.filter, .not(.test(path, .isNil))])
        (first.order, first.limit) = ([(path, order == .descending)], 1)
        var found: Value?
        try forEachValue(path, of: first) { bytes, type throws(ObjectError) in
            found = try value(bytes, type)
        }
        return found
    }

    private func sum<M: Model, Value: SummableValue>(
        _ path: ColumnPath, of query: Query<M>
    ) throws(ObjectError) -> Value {
        var sum = Value._sumOfNothing
        try forEachValue(path, of: query) { bytes, type throws(ObjectError) in
            guard let next = Value._sum(sum, try value(bytes, type)) else {
                throw ObjectError(.tooLarge, "sum up \(M.modelName): the sum exceeds its type")
            }
            sum = next
        }
        return sum
    }

    private func average<M: Model, Value: SummableValue>(
        _ path: ColumnPath, _ type: Value.Type, of query: Query<M>
    ) throws(ObjectError) -> Double? {
        var (mean, count) = (0.0, 0.0)
        try forEachValue(path, of: query) { bytes, type throws(ObjectError) in
            let next: Value = try value(bytes, type)
            count += 1
            mean += (next._asDouble - mean) / count
        }
        return count == 0 ? nil : mean
    }

    private func distinct<M: Model, Value: Storable>(
        _ path: ColumnPath, of query: Query<M>
    ) throws(ObjectError) -> [Value] {
        var found: Set<[UInt8]> = []
        try forEachValue(path, of: query) { bytes, _ in found.insert(bytes) }
        return try found.sorted { $0.lexicographicallyPrecedes($1) }.map {
            bytes throws(ObjectError) in try value(bytes, M.self)
        }
    }

    /// For each selected object in which a property is not nil, passes the property's bytes to
    /// `body`.
    private func forEachValue<M: Model>(
        _ path: ColumnPath, of query: Query<M>,
        _ body: ([UInt8], M.Type) throws(ObjectError) -> Void
    ) throws(ObjectError) {
        let way = try path.bound(to: bindings)
        let run = FilterRun(.constant(true), bindings.tables)
        try forEachObject(query) { object, binding throws(ObjectError) in
            guard let table = binding.table else { return .stop }
            if let bytes = try run.value(way, of: object, in: table, self) {
                try body(bytes, M.self)
            }
            return .next
        }
    }

    private func value<M: Model, Value: Storable>(
        _ bytes: [UInt8], _ model: M.Type
    ) throws(ObjectError) -> Value {
        let scalar = bytes.withView { Scalar($0, Value.scalarType) }
        guard let scalar else {
            throw ObjectError(.damaged, "read \(M.modelName): the stored bytes are damaged")
        }
        guard let value = Value(scalar: scalar) else {
            throw ObjectError(
                .unknownValue, "read \(M.modelName): this program does not know the value")
        }
        return value
    }
}
