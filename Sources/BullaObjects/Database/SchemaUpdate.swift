package import Bulla
internal import BullaMemory

/// Makes a store's trees what its new schema says.
package struct SchemaUpdate {
    private var match: SchemaMatch

    package init(_ match: SchemaMatch) { self.match = match }

    /// Whether the store is to be changed at all.
    package var isNeeded: Bool { match.changesSchema }

    /// How the models lie in the store once it is done.
    package var bindings: ObjectBindings { ObjectBindings(match) }

    /// Changes the store, all at once.
    ///
    /// - Throws: `duplicateValue` where a new index is unique and objects are not; `store`.
    /// - Complexity: a look at each object of a model that gets an index, in bounded memory.
    package mutating func run(_ transaction: consuming WriteTransaction) throws(ObjectError) {
        for property in match.newProperties {
            let initial = try property.definition.initial?(bindings)
            match.setInitial(initial ?? nil, of: property.type, property.number)
        }
        var transaction = transaction
        try SchemaTree.write(match.schema, &transaction)
        try ObjectError.ofStore { () throws(BullaError) in
            for number in match.newModels + match.newIndexes.map(\.index.number) {
                _ = try transaction.createTree(named: ObjectTable.treeName(number))
            }
            for number in match.goneIndexes {
                try transaction.dropTree(named: ObjectTable.treeName(number))
            }
        }
        let bindings = bindings
        var objects = ObjectTransaction(transaction, bindings)
        for (model, index) in match.newIndexes where !match.newModels.contains(model) {
            guard let table = bindings.tables[model],
                let index = table.indexes.first(where: { $0.number == index.number })
            else { continue }
            try objects.fill(index, of: table)
        }
        try objects.commit()
    }
}

extension ObjectTransaction {
    /// So many objects are looked at between two changes of an index that is filled.
    private static var portion: Int { 256 }

    /// Gives an index the entries of all objects that are there.
    fileprivate mutating func fill(
        _ index: IndexTable, of table: ObjectTable
    ) throws(ObjectError) {
        var last: [UInt8]?
        while true {
            var rows: [(key: [UInt8], row: [UInt8])] = []
            let range = last.map { KeyRange.from($0 + [0]) } ?? .all
            try scan(table.model.number, range, .ascending) {
                (key: ByteView, row: ByteView) in
                rows.append((key.copied(), row.copied()))
                return rows.count < Self.portion ? .next : .stop
            }
            for (key, row) in rows {
                try key.withView { key throws(ObjectError) in
                    try row.withView { row throws(ObjectError) in
                        try addEntries(of: table.object(key, row), to: index, in: table)
                    }
                }
            }
            guard rows.count == Self.portion, let end = rows.last else { return }
            last = end.key
        }
    }
}
