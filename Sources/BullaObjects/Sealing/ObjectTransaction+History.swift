internal import Bulla
internal import BullaMemory
public import FoundationEssentials

/// Former values of sealed properties.
extension ObjectTransaction {
    /// Deletes a model's former values that were sealed before a date.
    ///
    /// - Returns: how many there were.
    /// - Throws: `invalidModel` if the database was opened without the model; `damaged`,
    ///   `store`.
    /// - Complexity: one read of each former value, in bounded memory.
    @discardableResult
    public mutating func pruneHistory<M: Model>(
        of model: M.Type, before date: Date
    ) throws(ObjectError) -> Int {
        guard let tree = try bindings.model(M.modelName).table?.model.historyTree else { return 0 }
        let limit = UInt64(sealedAt: date)
        var count = 0
        try forEachPortion(of: tree) { key, _, transaction throws(ObjectError) in
            guard let parts = HistoryKey.parts(of: key),
                let sequence = HistoryKey.sequence(of: key, after: parts.prefix), sequence < limit
            else { return }
            try transaction.deleteEntry(key.copied(), tree)
            count += 1
        }
        return count
    }

    /// Keeps replaced values, and deletes a property's oldest former values beyond its limit.
    mutating func keep(
        _ values: [ReplacedValue], of table: ObjectTable
    ) throws(ObjectError) {
        guard let tree = table.model.historyTree else { return }
        for value in values {
            let key = HistoryKey.bytes(value.spot, value.stored.sequence)
            try putEntry(value.stored.blob, key, tree)
            try delete(HistoryKey.prefix(value.spot), in: tree, keeping: value.limit)
        }
    }

    /// Deletes all former values of an object.
    mutating func forgetFormerValues(
        of key: ByteView, in table: ObjectTable
    ) throws(ObjectError) {
        guard let tree = table.model.historyTree else { return }
        try delete(HistoryKey.prefix(key.copied()), in: tree, keeping: 0)
    }

    /// Deletes a model's former values beyond the limits.
    ///
    /// - Parameter limits: how many values of each property are kept; a property without a limit
    ///   keeps none.
    /// - Complexity: one read of each former value, in bounded memory.
    mutating func pruneFormerValues(
        in tree: Int, keeping limits: [UInt32: Int]
    ) throws(ObjectError) {
        var (last, count) = ([UInt8](), 0)
        try forEachPortion(of: tree) { key, _, transaction throws(ObjectError) in
            guard let parts = HistoryKey.parts(of: key) else { return }
            count = parts.prefix == last ? count + 1 : 1
            last = parts.prefix
            guard count > limits[parts.property] ?? 0 else { return }
            try transaction.deleteEntry(key.copied(), tree)
        }
    }

    private mutating func delete(
        _ prefix: [UInt8], in tree: Int, keeping limit: Int
    ) throws(ObjectError) {
        var (count, gone) = (0, [[UInt8]]())
        try scan(tree, .prefix(prefix), .ascending) { (key: ByteView, _: ByteView) in
            count += 1
            if count > limit { gone.append(key.copied()) }
            return .next
        }
        for key in gone { try deleteEntry(key, tree) }
    }
}
