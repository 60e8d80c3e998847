internal import BullaMemory

/// A model whose objects are sealed, except for the properties that are declared visible.
///
/// A fetch returns a ``SealedObject``, which is opened on request. If the context asks for a plain
/// object, as in `let login: Login? = try snapshot.fetch(Login.self, key: id)`, the fetch opens it.
public protocol SealedModel: Model {}

/// A fetched object whose visible properties you can read while everything else stays sealed.
///
/// Nothing is opened before ``open()``, and nothing that was opened is kept.
@dynamicMemberLookup
public struct SealedObject<M: SealedModel>: Sendable {
    private let keyBytes: [UInt8]
    private let row: [UInt8]
    private let binding: TypeBinding
    private let bindings: _ObjectBindings

    init(_ object: ObjectBytes, _ binding: TypeBinding, _ bindings: _ObjectBindings) {
        (keyBytes, row) = (object.key.copied(), object.row.copied())
        (self.binding, self.bindings) = (binding, bindings)
    }

    init(_ object: RowChanges.Object, _ binding: TypeBinding, _ bindings: _ObjectBindings) {
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
    /// - Throws: `damaged`, `unknownValue`; `invalidModel` if it is not a property of the object
    ///   itself.
    public subscript<Value: PropertyValue>(
        dynamicMember member: KeyPath<M.Columns, Column<M, Value>>
    ) -> Value {
        get throws(ObjectError) {
            guard case .property(let ordinal) = M.columns[keyPath: member].path.steps.first,
                M.columns[keyPath: member].path.steps.count == 1
            else {
                throw ObjectError(
                    .invalidModel, "read \(M.modelName): only its own properties can be read")
            }
            return try withObject { object throws(ObjectError) in
                try StoredObject(object: object, binding: binding, bindings: bindings)
                    .read(at: ordinal)
            }
        }
    }

    /// Opens the object.
    ///
    /// Its separately sealed properties stay sealed.
    ///
    /// - Throws: `sealed` if it does not open. The cause of `sealed` is the vault's error:
    ///   `vaultLocked` if the vault is locked, or the database does not use it; `otherVault`;
    ///   `sealDamaged`; `unsupportedFormat` if a newer version sealed it; `outOfMemory`. Also
    ///   `damaged`, `unknownValue`.
    /// - Complexity: one pass over its bytes; each call opens it again.
    public func open() throws(ObjectError) -> M {
        try withObject { object throws(ObjectError) in try M(object, binding, bindings) }
    }

    /// The object's position; a page of a query's results can begin after it.
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

/// The result of opening many objects.
public struct OpenedObjects<M: SealedModel>: Sendable {
    /// The objects that were opened, in the order of the query.
    public internal(set) var objects: [M] = []
    /// For each object that was not opened, its error, which names the object.
    public internal(set) var failures: [ObjectError] = []
}
