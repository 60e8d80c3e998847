internal import Bulla
package import BullaMemory

/// Rows, and their entries in indexes.
extension ObjectTransaction {
    /// Adds an object.
    ///
    /// - Throws: `duplicateKey`, `duplicateValue`, `invalidKey`. After any of these, nothing has
    ///   changed. After `damaged` or `store`, some of the changes may have been made.
    package mutating func insert(
        _ key: ByteView, _ row: ByteView, into table: ObjectTable
    ) throws(ObjectError) {
        try table.checkKey(key)
        let object = try table.object(key, row)
        let entries = try table.indexes.map { index throws(ObjectError) in
            try table.entries(of: object, in: index)
        }
        for (index, entries) in zip(table.indexes, entries) where index.isUnique {
            try checkUnique(entries, index, of: object, in: table)
        }
        let isNew = try insertEntry(row, key, table.number)
        guard isNew else {
            throw ObjectError(.duplicateKey, "insert \(table.text(ofKey: key)): it is there")
        }
        for (index, entries) in zip(table.indexes, entries) {
            for entry in entries { try putEntry([], entry, index.number) }
        }
    }

    /// Replaces an object's row.
    ///
    /// - Throws: as ``insert(_:_:into:)``, but without `duplicateKey`.
    package mutating func replace(
        _ key: ByteView, _ former: ByteView, with row: ByteView, in table: ObjectTable
    ) throws(ObjectError) {
        guard row != former else { return }
        let (old, new) = (try table.object(key, former), try table.object(key, row))
        var changes: [(index: IndexTable, gone: [[UInt8]], come: [[UInt8]])] = []
        for index in table.indexes where try !index.isSame(old, new, table.layout) {
            let gone = try table.entries(of: old, in: index)
            let come = try table.entries(of: new, in: index)
            if index.isUnique { try checkUnique(come, index, of: new, in: table) }
            let (old, new) = (Set(gone), Set(come))
            changes.append(
                (index, gone.filter { !new.contains($0) }, come.filter { !old.contains($0) }))
        }
        try putEntry(row, key, table.number)
        for change in changes {
            for entry in change.gone { try deleteEntry(entry, change.index.number) }
            for entry in change.come { try putEntry([], entry, change.index.number) }
        }
    }

    /// Adds an object's entries to one index.
    package mutating func addEntries(
        of object: ObjectBytes, to index: IndexTable, in table: ObjectTable
    ) throws(ObjectError) {
        let entries = try table.entries(of: object, in: index)
        if index.isUnique { try checkUnique(entries, index, of: object, in: table) }
        for entry in entries { try putEntry([], entry, index.number) }
    }

    /// Removes an object, its index entries and its former sealed values, but not the links to it.
    package mutating func remove(
        _ key: ByteView, _ row: ByteView, from table: ObjectTable
    ) throws(ObjectError) {
        let object = try table.object(key, row)
        for index in table.indexes {
            for entry in try table.entries(of: object, in: index) {
                try deleteEntry(entry, index.number)
            }
        }
        try deleteEntry(key.copied(), table.number)
        try forgetFormerValues(of: key, in: table)
    }
}

/// Checks of unique indexes.
extension ObjectTransaction {
    /// - Throws: `duplicateValue` if another object has the same values as this one in the index,
    ///   and none of those values is nil.
    private func checkUnique(
        _ entries: [[UInt8]], _ index: IndexTable, of object: ObjectBytes,
        in table: ObjectTable
    ) throws(ObjectError) {
        guard try index.isComplete(object, table.layout) else { return }
        for entry in entries {
            let prefix = Array(entry.dropLast(object.key.byteCount))
            var isTaken = false
            try forEachKey(under: prefix, in: index) { key throws(ObjectError) in
                guard key != object.key else { return .next }
                let isSame = try withObject(key, in: table) { other throws(ObjectError) in
                    try index.isSame(object, other, table.layout)
                }
                isTaken = isSame == true
                return isTaken ? .stop : .next
            }
            guard !isTaken else {
                throw ObjectError(
                    .duplicateValue,
                    "write \(table.text(ofKey: object.key)): \(table.text(of: index)) is unique, "
                        + "and another object has the same value")
            }
        }
    }
}
