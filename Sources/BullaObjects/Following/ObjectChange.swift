internal import BullaMemory

/// What has become of the objects that a query asks for.
public struct ObjectChange<M: Model>: Sendable {
    /// The commit after which it is so.
    public let commit: UInt64
    /// Those that the query asks for now, and did not before; of the first change, all.
    public let inserted: [M]
    /// Those that it asks for as before, and that are others now.
    public let updated: [M]
    /// The keys of those that it does not ask for any more: they were deleted, or do not pass.
    public let deleted: [M.Key]
    /// How many objects it asks for now.
    public let count: Int

    init(_ changes: RowChanges, _ bindings: ObjectBindings) throws(ObjectError) {
        let binding = try bindings.model(M.modelName)
        inserted = try changes.inserted.map { object throws(ObjectError) in
            try M(object, binding, bindings)
        }
        updated = try changes.updated.map { object throws(ObjectError) in
            try M(object, binding, bindings)
        }
        deleted = try changes.deletedKeys(of: M.self, binding)
        (commit, count) = (changes.commit, changes.count)
    }
}

/// What has become of the objects of a sealed model that a query asks for: none is opened.
public struct SealedChange<M: SealedModel>: Sendable {
    /// The commit after which it is so.
    public let commit: UInt64
    /// Those that the query asks for now, and did not before; of the first change, all.
    public let inserted: [SealedObject<M>]
    /// Those that it asks for as before, and that are others now.
    public let updated: [SealedObject<M>]
    /// The keys of those that it does not ask for any more: they were deleted, or do not pass.
    public let deleted: [M.Key]
    /// How many objects it asks for now.
    public let count: Int

    init(_ changes: RowChanges, _ bindings: ObjectBindings) throws(ObjectError) {
        let binding = try bindings.model(M.modelName)
        inserted = changes.inserted.map { SealedObject($0, binding, bindings) }
        updated = changes.updated.map { SealedObject($0, binding, bindings) }
        deleted = try changes.deletedKeys(of: M.self, binding)
        (commit, count) = (changes.commit, changes.count)
    }
}

extension RowChanges {
    fileprivate func deletedKeys<M: Model>(
        of model: M.Type, _ binding: TypeBinding
    ) throws(ObjectError) -> [M.Key] {
        try deleted.map { key throws(ObjectError) in
            let parts = key.withView { binding.table?.model.parts(ofKey: $0) }
            guard let key = parts.flatMap({ M.Key(parts: $0) }) else {
                throw binding.layout.damaged("key")
            }
            return key
        }
    }
}

extension Model {
    /// The object of copied bytes.
    init(
        _ object: RowChanges.Object, _ binding: TypeBinding, _ bindings: ObjectBindings
    ) throws(ObjectError) {
        self = try object.key.withView { key throws(ObjectError) in
            try object.row.withView { row throws(ObjectError) in
                guard let row = Row(row) else { throw binding.layout.damaged("row") }
                return try Self(ObjectBytes(key: key, row: row), binding, bindings)
            }
        }
    }
}
