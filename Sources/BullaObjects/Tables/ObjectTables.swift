/// The tables of a schema, and the links between them.
package final class ObjectTables: Sendable {
    /// A link: the table of the objects that have it, its property, and the index that finds these
    /// objects by the link's target.
    package struct Referrer: Sendable {
        let table: ObjectTable
        let property: PropertySchema
        let index: IndexTable
    }

    package let schema: DatabaseSchema
    private let tables: [Int: ObjectTable]
    private let referrers: [Int: [Referrer]]
    private let embedded: [Int: ObjectLayout]

    package init(_ schema: DatabaseSchema) {
        self.schema = schema
        let tables = schema.models.map { ObjectTable($0, in: schema) }
        self.tables = Dictionary(uniqueKeysWithValues: tables.map { ($0.number, $0) })
        var referrers: [Int: [Referrer]] = [:]
        for table in tables {
            for property in table.model.properties {
                guard case .link(let target) = property.kind,
                    let index = table.linkIndex(of: property.number)
                else { continue }
                let referrer = Referrer(table: table, property: property, index: index)
                referrers[target, default: []].append(referrer)
            }
        }
        self.referrers = referrers
        embedded = Dictionary(
            uniqueKeysWithValues: schema.embedded.map { ($0.number, ObjectLayout($0)) })
    }

    /// The table of the model with a number.
    package subscript(number: Int) -> ObjectTable? { tables[number] }

    /// The layout of an embedded type's values.
    package func embedded(_ number: Int) -> ObjectLayout? { embedded[number] }

    /// The links that can refer to an object of a table.
    package func referrers(to table: ObjectTable) -> [Referrer] {
        referrers[table.number] ?? []
    }
}

extension ObjectTable {
    /// The index that finds objects by the target of one of their links.
    package func linkIndex(of property: Int) -> IndexTable? {
        indexes.first { $0.parts.count == 1 && $0.parts[0].property == property }
    }
}
