import BullaRecords
import BullaTestSupport

extension TestRandom {
    /// A valid schema.
    mutating func schema() -> RecordSchema {
        let roles = Set((0..<below(3)).map { _ in word() })
        var types: [String: RecordType] = [:]
        for _ in 0..<below(5) { types[word()] = recordType(roles: roles) }
        if isOne(in: 4) {
            var share = recordType(roles: roles)
            for (name, shape) in SystemType.shareFields { share.set(name, to: SchemaField(shape)) }
            types[SystemType.share] = share
        }
        return RecordSchema(roles: roles, types: types)
    }

    private mutating func recordType(roles: Set<String>) -> RecordType {
        var type = RecordType()
        for _ in 0..<below(8) { type.set(word(), to: field(shape())) }
        for field in SystemField.allCases where isOne(in: 3) {
            type.set(field.name, to: self.field(field.shape))
        }
        let allRoles = SystemRole.allCases.map(\.name) + roles.sorted()
        for _ in 0..<below(4) {
            type.grant(Privileges(rawValue: UInt8(1 + below(7))), to: pick(allRoles))
        }
        return type
    }

    mutating func shape() -> FieldShape {
        let kind = FieldKind(pick(ValueKind.allCases), isList: isOne(in: 3))
        return FieldShape(kind, isEncrypted: kind.element.isSealable && isOne(in: 3))
    }

    private mutating func field(_ shape: FieldShape) -> SchemaField {
        let any = FieldIndexes(rawValue: UInt8(below(8)))
        return SchemaField(shape, indexes: any.intersection(.allowed(for: shape)))
    }

    /// A name, which can be a word of the language.
    private mutating func word() -> String {
        if isOne(in: 4) {
            return pick(["grant", "Queryable", "SORTABLE", "type", "string", "list", "to", "read"])
        }
        return String(pick(Array("abXYZ")))
            + String((0..<below(6)).map { _ in pick(Array("aB9_z")) })
    }
}
