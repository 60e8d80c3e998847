internal import Bulla
internal import BullaMemory

extension ObjectTransaction {
    /// Puts an object in the place of what was fetched before, if that is what is there still.
    ///
    /// Between a fetch and this, a person may have looked at a form, or another process may have
    /// been asked; what anyone has changed meanwhile is not overwritten.
    ///
    /// - Parameters:
    ///   - object: what is to be there.
    ///   - fetched: what was there when it was fetched. Its key is that of the object.
    /// - Throws: `changedMeanwhile` where a property that the program knows has another value now,
    ///   or the object is gone; `keyChanged` where the two have different keys; as ``upsert(_:)``.
    /// - Complexity: as of ``upsert(_:)``; where both are the same, nothing is written.
    public mutating func update<M: Model>(
        _ object: M, replacing fetched: M
    ) throws(ObjectError) {
        guard object.modelKey == fetched.modelKey else {
            throw ObjectError(
                .keyChanged, "update \(M.modelName): its key is not that of what was fetched")
        }
        guard try isAsFetched(fetched) else {
            throw ObjectError(
                .changedMeanwhile,
                "update \(M.modelName): it is no longer what it was when it was fetched")
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
    /// Whether two objects have the same in all properties that the program knows.
    fileprivate func isSame(
        _ one: ObjectBytes, _ other: ObjectBytes
    ) throws(ObjectError) -> Bool {
        for number in numbers where try !layout.isSame(number, one, other) { return false }
        return true
    }
}
