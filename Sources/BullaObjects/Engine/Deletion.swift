internal import Bulla
package import BullaMemory

/// Deletes objects, and applies the delete rules of the links to them.
///
/// It first collects all objects to delete, following each cascading link. Then it checks that no
/// remaining object denies the deletion. Only then does it change anything.
package struct Deletion {
    private struct Place: Hashable {
        let table: Int
        let key: [UInt8]
    }

    private let tables: ObjectTables
    /// The objects to delete, in the order in which they were found.
    private var places: [Place] = []
    private var known: Set<Place> = []
    /// The numbers of the links to nullify, for each object that has such links.
    ///
    /// Such an object may itself be among those to delete.
    private var orphans: [Place: Set<Int>] = [:]

    package init(_ tables: ObjectTables) { self.tables = tables }

    /// How many objects the deletion includes, once it has run.
    package var count: Int { places.count }

    package mutating func add(_ key: [UInt8], of table: ObjectTable) {
        let place = Place(table: table.number, key: key)
        if known.insert(place).inserted { places.append(place) }
    }

    /// Deletes the objects.
    ///
    /// - Throws: `referenced` if a link denies the deletion; then nothing has changed.
    package mutating func run(_ editor: inout ObjectTransaction) throws(ObjectError) {
        try collect(&editor)
        for (place, properties) in orphans where !known.contains(place) {
            try forget(place, properties, &editor)
        }
        for place in places {
            let table = try table(place)
            try place.key.withView { key throws(ObjectError) in
                // An object that a migration deletes has no row, because the migration did not
                // write it to the new tree.
                guard let row = try editor.row(key, in: table) else { return }
                try row.withView { row throws(ObjectError) in
                    try editor.remove(key, row, from: table)
                }
            }
        }
    }

    private mutating func collect(_ editor: inout ObjectTransaction) throws(ObjectError) {
        var denied: [(place: Place, property: PropertySchema)] = []
        var next = 0
        while next < places.count {
            let place = places[next]
            next += 1
            for referrer in tables.referrers(to: try table(place)) {
                let keys = try place.key.withView { key throws(ObjectError) in
                    try editor.keys(referringTo: key, by: referrer.index)
                }
                for key in keys {
                    let other = Place(table: referrer.table.number, key: key)
                    switch referrer.property.ruleOfDeletion {
                    case .cascade: add(key, of: referrer.table)
                    case .deny: denied.append((other, referrer.property))
                    case .nullify: orphans[other, default: []].insert(referrer.property.number)
                    }
                }
            }
        }
        for (place, property) in denied where !known.contains(place) {
            let table = try table(place)
            throw ObjectError(
                .referenced,
                "delete: \(place.key.withView { table.text(ofKey: $0) }) refers to it by "
                    + "\(property.name), which denies that")
        }
    }

    /// Removes the links to deleted objects from an object that remains.
    private func forget(
        _ place: Place, _ properties: Set<Int>, _ editor: inout ObjectTransaction
    ) throws(ObjectError) {
        let table = try table(place)
        try place.key.withView { key throws(ObjectError) in
            guard let former = try editor.row(key, in: table) else { return }
            let row = try former.withView { former throws(ObjectError) in
                try rowWithoutLinks(table.object(key, former), properties, in: table)
            }
            try former.withView { former throws(ObjectError) in
                try row.withView { row throws(ObjectError) in
                    try editor.replace(key, former, with: row, in: table)
                }
            }
        }
    }

    private func rowWithoutLinks(
        _ object: ObjectBytes, _ properties: Set<Int>, in table: ObjectTable
    ) throws(ObjectError) -> [UInt8] {
        var draft = RowDraft()
        try draft.begin(with: object, table.layout) { number, value throws(ObjectError) in
            guard properties.contains(number), let property = table.model.property(number),
                case .link(let target) = property.kind
            else { return value.copied() }
            guard property.multiplicity != .optional, property.multiplicity != .one else {
                return known.contains(Place(table: target, key: value.copied()))
                    ? nil : value.copied()
            }
            var elements = ElementReader(value)
            var rest = ElementList()
            while let element = elements.next() {
                guard !known.contains(Place(table: target, key: element.copied())) else { continue }
                rest.append(element)
            }
            return rest.bytes
        }
        return try draft.bytes(of: table.layout)
    }

    private func table(_ place: Place) throws(ObjectError) -> ObjectTable {
        guard let table = tables[place.table] else {
            throw ObjectError(.damaged, "delete: the schema has no model \(place.table)")
        }
        return table
    }
}

extension ObjectReader where Self: ~Copyable {
    /// Finds, in a link's index, the keys of the objects whose link refers to the object with this
    /// key.
    package func keys(
        referringTo key: ByteView, by index: IndexTable
    ) throws(ObjectError) -> [[UInt8]] {
        let prefix = index.parts[0].appended(key, to: OrderedKey(), cutAt: index.textByteLimit)
        var keys: [[UInt8]] = []
        try forEachKey(under: prefix.bytes, in: index) { key in
            keys.append(key.copied())
            return .next
        }
        return keys
    }
}
