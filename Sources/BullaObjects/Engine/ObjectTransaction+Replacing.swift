internal import Bulla
internal import BullaMemory

extension ObjectTransaction {
    /// Replaces an object that was fetched before, if it has not changed since.
    ///
    /// Between the fetch and this call, a long time may pass: a person may fill in a form, or the
    /// program may wait for another process. The call does not overwrite what others have changed
    /// meanwhile.
    ///
    /// - Parameters:
    ///   - object: the new object.
    ///   - fetched: the object as it was fetched, with the same key as the new one.
    /// - Throws: `changedMeanwhile` if the object is gone, or if its stored values differ from
    ///   those of `fetched` in a property that the program declares; `keyChanged` if the two
    ///   objects have different keys; otherwise as ``upsert(_:)``.
    /// - Complexity: as ``upsert(_:)``; writes nothing if the two objects are equal.
    public mutating func update<M: Model>(
        _ object: M, replacing fetched: M
    ) throws(ObjectError) {
        guard object.modelKey == fetched.modelKey else {
            throw ObjectError(
                .keyChanged, "update \(M.modelName): its key is not that of the fetched object")
        }
        guard try isAsFetched(fetched) else {
            throw ObjectError(
                .changedMeanwhile,
                "update \(M.modelName): it has changed since it was fetched")
        }
        try upsert(object)
    }

    private func isAsFetched<M: Model>(_ object: M) throws(ObjectError) -> Bool {
        let binding = try bindings.model(M.modelName)
        guard let table = binding.table else { return false }
        var draft = ObjectDraft(binding, bindings)
        try object.write(to: &draft)
        let keyBytes = try draft.key()
        return try keyBytes.withView { key throws(ObjectError) in
            guard let stored = try row(key, in: table) else { return false }
            return try stored.withView { stored throws(ObjectError) in
                let own = try draft.row(keyBytes, over: stored).bytes
                return try own.withView { own throws(ObjectError) in
                    try binding.isSame(table.object(key, own), table.object(key, stored))
                }
            }
        }
    }
}

extension TypeBinding {
    /// Whether two objects have the same values in all properties that the program declares.
    fileprivate func isSame(
        _ one: ObjectBytes, _ other: ObjectBytes
    ) throws(ObjectError) -> Bool {
        for number in numbers where try !layout.isSame(number, one, other) { return false }
        return true
    }
}
