package import Bulla
internal import BullaMemory

/// Changes a store's trees to match its new schema.
package struct SchemaUpdate {
    private var match: SchemaMatch
    private let vaults: ObjectVaults

    package init(_ match: SchemaMatch, _ vaults: ObjectVaults = ObjectVaults()) {
        (self.match, self.vaults) = (match, vaults)
    }

    /// Whether the store needs any change.
    package var isNeeded: Bool { match.changesSchema }

    /// Where the models' properties are in the store after the update.
    package var bindings: _ObjectBindings { _ObjectBindings(match, vaults) }

    /// Changes the store, in one transaction.
    ///
    /// - Throws: `duplicateValue` if a new index is unique but its values are not; what migrations
    ///   throw; `store`.
    /// - Complexity: one read of each object of a model that gets an index, and two writes of each
    ///   object of a model that is migrated; the memory used is bounded.
    package mutating func run(_ transaction: consuming WriteTransaction) throws(ObjectError) {
        for property in match.newProperties {
            let initial = try property.definition.initial?(bindings)
            match.setInitial(initial ?? nil, of: property.type, property.number)
        }
        var transaction = transaction
        try SchemaTree.write(match.schema, &transaction)
        try changeTrees(&transaction)
        let bindings = bindings
        var objects = ObjectTransaction(transaction, bindings)
        // Fill the new indexes first: a migration may search them.
        let whole = Set(match.newModels + match.rebuilds.map(\.model))
        for (model, index) in match.newIndexes where !whole.contains(model) {
            guard let table = bindings.tables[model],
                let index = table.indexes.first(where: { $0.number == index.number })
            else { continue }
            try objects.fill(index, of: table)
        }
        try rebuild(&objects, bindings)
        try pruneHistories(&objects)
        try objects.commit()
    }

    /// In each model that now keeps fewer former values than before, deletes the values beyond the
    /// new limits.
    private func pruneHistories(_ objects: inout ObjectTransaction) throws(ObjectError) {
        for model in match.schema.models {
            guard let tree = model.historyTree, let former = match.former.model(model.number) else {
                continue
            }
            let limits = match.schema.historyLimits(of: model)
            let isLess = match.former.historyLimits(of: former).contains { property, limit in
                limit > limits[property] ?? 0
            }
            if isLess { try objects.pruneFormerValues(in: tree, keeping: limits) }
        }
    }

    private func rebuild(
        _ objects: inout ObjectTransaction, _ bindings: _ObjectBindings
    ) throws(ObjectError) {
        var (left, deletion) = (match.rebuilds.map(\.model), Deletion(bindings.tables))
        for rebuild in match.rebuilds {
            left.removeFirst()
            objects._bindings = bindings.hiding(models: left)
            try rebuild.run(&objects, former: match.former, &deletion)
            try objects.dropTree(rebuild.formerTree)
        }
        objects._bindings = bindings
        try deletion.run(&objects)
    }

    private func changeTrees(_ transaction: inout WriteTransaction) throws(ObjectError) {
        try ObjectError.ofStore { () throws(BullaError) in
            for rebuild in match.rebuilds {
                try transaction.renameTree(
                    named: ObjectTable.treeName(rebuild.model),
                    to: ObjectTable.treeName(rebuild.formerTree))
            }
            let models = match.newModels + match.rebuilds.map(\.model)
            for number in models + match.newHistories + match.newIndexes.map(\.index.number) {
                _ = try transaction.createTree(named: ObjectTable.treeName(number))
            }
            for number in match.goneIndexes {
                try transaction.dropTree(named: ObjectTable.treeName(number))
            }
        }
    }
}

extension ObjectTransaction {
    /// Adds entries for all existing objects to an index.
    fileprivate mutating func fill(
        _ index: IndexTable, of table: ObjectTable
    ) throws(ObjectError) {
        try forEachPortion(of: table.number) {
            key, row, transaction throws(ObjectError) in
            try transaction.addEntries(of: table.object(key, row), to: index, in: table)
        }
    }
}
