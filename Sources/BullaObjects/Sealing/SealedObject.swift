internal import BullaMemory

/// A model of whose objects all is sealed but what is said to stay visible.
///
/// What is fetched of it is a ``SealedObject``, which is opened when it is asked to. Where a plain
/// object is asked for, as in `let login: Login? = try snapshot.fetch(Login.self, key: id)`, it is
/// opened at once.
public protocol SealedModel: Model {}

/// An object as it was fetched: its visible properties, and everything else sealed.
///
/// Nothing is opened before ``open()``, and nothing that was opened is kept.
@dynamicMemberLookup
public struct SealedObject<M: SealedModel>: Sendable {
    private let keyBytes: [UInt8]
    private let row: [UInt8]
    private let binding: TypeBinding
    private let bindings: ObjectBindings

    init(_ object: ObjectBytes, _ binding: TypeBinding, _ bindings: ObjectBindings) {
        (keyBytes, row) = (object.key.copied(), object.row.copied())
        (self.binding, self.bindings) = (binding, bindings)
    }

    init(_ object: RowChanges.Object, _ binding: TypeBinding, _ bindings: ObjectBindings) {
        (keyBytes, row) = (object.key, object.row)
        (self.binding, self.bindings) = (binding, bindings)
    }

    /// Its key.
    ///
    /// - Throws: `damaged`.
    public var key: M.Key {
        get throws(ObjectError) {
            let parts = keyBytes.withView { binding.table?.model.parts(ofKey: $0) }
            guard let parts, let key = M.Key(parts: parts) else {
                throw binding.layout.damaged("key")
            }
            return key
        }
    }

    /// A visible property.
    ///
    /// - Throws: `damaged`, `unknownValue`; `invalidModel` for what is no property of its own.
    public subscript<Value: PropertyValue>(
        dynamicMember member: KeyPath<M.Columns, Column<M, Value>>
    ) -> Value {
        get throws(ObjectError) {
            guard case .property(let ordinal) = M.columns[keyPath: member].path.steps.first,
                M.columns[keyPath: member].path.steps.count == 1
            else { throw ObjectError(.invalidModel, "read \(M.modelName): it is no property") }
            return try withObject { object throws(ObjectError) in
                try StoredObject(object: object, binding: binding, bindings: bindings)
                    .read(ordinal)
            }
        }
    }

    /// Opens the object.
    ///
    /// What is sealed by itself in it stays so.
    ///
    /// - Throws: `sealed` where it does not open, with what the vault says as the error's cause:
    ///   `vaultLocked`, also where the database was not given the vault; `otherVault`;
    ///   `sealDamaged`; `outOfMemory`. `damaged`, `unknownValue`.
    /// - Complexity: one pass over its bytes; it is opened anew each time.
    public func open() throws(ObjectError) -> M {
        try withObject { object throws(ObjectError) in try M(object, binding, bindings) }
    }

    /// For those that come after it.
    var position: ObjectPosition { ObjectPosition(key: keyBytes, row: row) }

    private func withObject<R>(
        _ body: (ObjectBytes) throws(ObjectError) -> R
    ) throws(ObjectError) -> R {
        try keyBytes.withView { key throws(ObjectError) in
            try row.withView { row throws(ObjectError) in
                guard let row = Row(row) else { throw binding.layout.damaged("row") }
                return try body(ObjectBytes(key: key, row: row))
            }
        }
    }
}

/// What was opened of many objects, and what was not.
public struct OpenedObjects<M: SealedModel>: Sendable {
    /// Those that opened, in the order of the query.
    public internal(set) var objects: [M] = []
    /// Of those that did not, each one's error, which names it.
    public internal(set) var failures: [ObjectError] = []
}
