internal import Bulla
internal import BullaMemory

/// A model whose objects are all written anew when the schema is updated.
package struct ModelRebuild: Sendable {
    /// The number of the model, and of its tree.
    package let model: Int
    /// The number of the tree that holds the former objects during the update.
    package let formerTree: Int
    /// The migrations that each object goes through, in order; empty if the update only removes
    /// retired properties.
    let steps: [Migration]
    /// The former names of properties, by number, except those names that another property has now.
    let formerNames: [Int: String]

    /// Writes the migrated objects into the model's tree, which is empty, and into its indexes.
    ///
    /// - Parameters:
    ///   - schema: the store's schema before the update.
    ///   - deletion: collects the objects to delete.
    func run(
        _ transaction: inout ObjectTransaction, former schema: DatabaseSchema,
        _ deletion: inout Deletion
    ) throws(ObjectError) {
        guard let former = schema.model(model), let table = transaction.bindings.tables[model]
        else { return }
        let binding = try transaction.bindings.model(table.model.name)
        let layout = ObjectLayout(former)
        try transaction.forEachPortion(of: formerTree) {
            key, row, transaction throws(ObjectError) in
            guard let row = Row(row) else { throw layout.damaged("row") }
            var object = MigratedObject(
                ObjectBytes(key: key, row: row), former, layout, binding, transaction.bindings,
                formerNames)
            for step in steps where !object.isDeleted {
                try step.run(&object, &transaction)
            }
            guard !object.isDeleted else {
                try transaction.forgetFormerValues(of: key, in: table)
                return deletion.add(key.copied(), of: table)
            }
            let (newKey, newRow) = try object.finish()
            try newKey.withView { key throws(ObjectError) in
                try newRow.withView { row throws(ObjectError) in
                    try transaction.insert(key, row, into: table)
                }
            }
        }
    }
}

extension ObjectTransaction {
    /// How many entries are in memory at a time.
    private static var portion: Int { 256 }

    /// Passes all entries of a tree to `body`, copied a portion at a time, so that `body` can
    /// change any tree, even this one.
    mutating func forEachPortion(
        of tree: Int,
        _ body: (ByteView, ByteView, inout ObjectTransaction) throws(ObjectError) -> Void
    ) throws(ObjectError) {
        var last: [UInt8]?
        while true {
            var entries: [(key: [UInt8], value: [UInt8])] = []
            let range = last.map { KeyRange.from($0 + [0]) } ?? .all
            try scan(tree, range, .ascending) { (key: ByteView, value: ByteView) in
                entries.append((key.copied(), value.copied()))
                return entries.count < Self.portion ? .next : .stop
            }
            for (key, value) in entries {
                try key.withView { key throws(ObjectError) in
                    try value.withView { value throws(ObjectError) in
                        try body(key, value, &self)
                    }
                }
            }
            guard entries.count == Self.portion, let end = entries.last else { return }
            last = end.key
        }
    }
}
