internal import BullaMemory

/// How the result of a query has changed.
public struct ObjectChange<M: Model>: Sendable {
    /// The last commit that this change covers: the result is now as of that commit.
    public let commit: UInt64
    /// The objects that are new in the result; in the first change, the whole result.
    public let inserted: [M]
    /// The objects that were in the result before and have changed.
    public let updated: [M]
    /// The keys of the objects that left the result: they were deleted, no longer meet the
    /// condition, or no longer come within the query's limit.
    public let removed: [M.Key]
    /// How many objects the result has now.
    public let resultCount: Int

    init(_ changes: RowChanges, _ bindings: _ObjectBindings) throws(ObjectError) {
        let binding = try bindings.model(M.modelName)
        inserted = try changes.inserted.map { object throws(ObjectError) in
            try M(object, binding, bindings)
        }
        updated = try changes.updated.map { object throws(ObjectError) in
            try M(object, binding, bindings)
        }
        removed = try changes.removedKeys(of: M.self, binding)
        (commit, resultCount) = (changes.commit, changes.resultCount)
    }
}

/// How the result of a query for a sealed model has changed, with the objects left unopened.
public struct SealedChange<M: SealedModel>: Sendable {
    /// The last commit that this change covers: the result is now as of that commit.
    public let commit: UInt64
    /// The objects that are new in the result; in the first change, the whole result.
    public let inserted: [SealedObject<M>]
    /// The objects that were in the result before and have changed.
    public let updated: [SealedObject<M>]
    /// The keys of the objects that left the result: they were deleted, no longer meet the
    /// condition, or no longer come within the query's limit.
    public let removed: [M.Key]
    /// How many objects the result has now.
    public let resultCount: Int

    init(_ changes: RowChanges, _ bindings: _ObjectBindings) throws(ObjectError) {
        let binding = try bindings.model(M.modelName)
        inserted = changes.inserted.map { SealedObject($0, binding, bindings) }
        updated = changes.updated.map { SealedObject($0, binding, bindings) }
        removed = try changes.removedKeys(of: M.self, binding)
        (commit, resultCount) = (changes.commit, changes.resultCount)
    }
}

extension RowChanges {
    fileprivate func removedKeys<M: Model>(
        of model: M.Type, _ binding: TypeBinding
    ) throws(ObjectError) -> [M.Key] {
        try removed.map { key throws(ObjectError) in
            let parts = key.withView { binding.table?.model.parts(ofKey: $0) }
            guard let key = parts.flatMap({ M.Key(parts: $0) }) else {
                throw binding.layout.damaged("key")
            }
            return key
        }
    }
}

extension Model {
    /// An object made from copies of its key and its row.
    init(
        _ object: RowChanges.Object, _ binding: TypeBinding, _ bindings: _ObjectBindings
    ) throws(ObjectError) {
        self = try object.key.withView { key throws(ObjectError) in
            try object.row.withView { row throws(ObjectError) in
                guard let row = Row(row) else { throw binding.layout.damaged("row") }
                return try Self(ObjectBytes(key: key, row: row), binding, bindings)
            }
        }
    }
}
