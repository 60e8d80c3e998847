/// The difference between two schemas.
package struct SchemaDifference: Hashable, Sendable {
    /// A field that both schemas have, with different shapes.
    package struct Change: Hashable, Sendable {
        package let type: String
        package let name: String
        package let former: FieldShape
        package let next: FieldShape
    }

    package let added: [SchemaPart]
    package let removed: [SchemaPart]
    package private(set) var changed: [Change] = []

    package init(from former: RecordSchema, to next: RecordSchema) {
        let (formerParts, nextParts) = (former.parts, next.parts)
        var (gone, come) = (formerParts.subtracting(nextParts), nextParts.subtracting(formerParts))
        for case .field(let type, let name, let shape) in gone {
            guard let kept = next.types[type]?[name]?.shape else { continue }
            changed.append(Change(type: type, name: name, former: shape, next: kept))
        }
        for change in changed {
            gone.remove(.field(change.type, change.name, change.former))
            come.remove(.field(change.type, change.name, change.next))
        }
        changed.sort { ($0.type, $0.name) < ($1.type, $1.name) }
        (added, removed) = (Self.sorted(come), Self.sorted(gone))
    }

    package var isEmpty: Bool { added.isEmpty && removed.isEmpty && changed.isEmpty }

    /// The errors for fields whose shape would change, which is never allowed.
    var changeFaults: [SchemaFault] {
        changed.map {
            let place = SchemaPart.field($0.type, $0.name, $0.former).place
            return SchemaFault(place, "is \($0.former), and cannot become \($0.next)")
        }
    }

    private static func sorted(_ parts: Set<SchemaPart>) -> [SchemaPart] {
        parts.map { ($0.description, $0) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
}
