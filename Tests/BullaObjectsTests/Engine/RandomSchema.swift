import BullaObjects
import BullaTestSupport

/// Random schemas: models of every kind of key and property, with links between them.
enum RandomSchema {
    private static let keyTypes: [ScalarType] = [.integer, .string, .uuid, .data, .decimal, .date]
    private static let types = ScalarType.allCases

    static func draw(_ random: inout TestRandom) -> DatabaseSchema {
        var schema = DatabaseSchema()
        let numbers = (0...random.below(3)).map { _ in schema.takeNumber() }
        schema.embedded = [
            EmbeddedSchema(
                number: schema.takeNumber(), name: "Address",
                properties: (0..<3).map { number in
                    scalar(number, "part\(number)", types, [.one, .optional, .list], &random)
                })
        ]
        for number in numbers {
            schema.models.append(model(number, targets: numbers, &schema, &random))
        }
        return schema
    }

    private static func model(
        _ number: Int, targets: [Int], _ schema: inout DatabaseSchema, _ random: inout TestRandom
    ) -> ModelSchema {
        let key = Array(0...random.below(2))
        var properties = key.map { scalar($0, "key\($0)", keyTypes, [.one], &random) }
        for _ in 0...random.below(5) {
            let next = properties.count
            properties.append(
                scalar(
                    next, "value\(next)", types,
                    [.one, .one, .optional, .optional, .list, .set, .dictionary], &random))
        }
        for _ in 0..<random.below(3) { properties.append(link(properties.count, targets, &random)) }
        if random.isOne(in: 2) {
            properties.append(
                PropertySchema(
                    number: properties.count, name: "address",
                    kind: .embedded(schema.embedded[0].number),
                    multiplicity: random.isOne(in: 2) ? .optional : .list))
        }
        var indexes = properties.filter { if case .link = $0.kind { true } else { false } }.map {
            IndexSchema(number: schema.takeNumber(), properties: [$0.number], isUnique: false)
        }
        for _ in 0..<random.below(4) {
            if let index = index(of: properties, &schema, &random) { indexes.append(index) }
        }
        return ModelSchema(
            number: number, name: "Model\(number)", properties: properties, key: key,
            indexes: indexes)
    }

    private static func scalar(
        _ number: Int, _ name: String, _ types: [ScalarType], _ many: [Multiplicity],
        _ random: inout TestRandom
    ) -> PropertySchema {
        PropertySchema(
            number: number, name: name, kind: .scalar(random.pick(types)),
            multiplicity: random.pick(many))
    }

    private static func link(
        _ number: Int, _ targets: [Int], _ random: inout TestRandom
    ) -> PropertySchema {
        PropertySchema(
            number: number, name: "link\(number)", kind: .link(random.pick(targets)),
            multiplicity: random.isOne(in: 2) ? .optional : .list,
            deleteRule: random.pick([DeleteRule.nullify, .nullify, .cascade, .deny]))
    }

    /// An index of one to three properties, at most one of which has many values.
    private static func index(
        of properties: [PropertySchema], _ schema: inout DatabaseSchema, _ random: inout TestRandom
    ) -> IndexSchema? {
        var chosen: [PropertySchema] = []
        for property in properties.shuffled(using: &random).prefix(1 + random.below(3)) {
            if case .embedded = property.kind { continue }
            let isMany = property.multiplicity == .list || property.multiplicity == .set
            guard property.multiplicity != .dictionary,
                !isMany
                    || chosen.allSatisfy({ $0.multiplicity != .list && $0.multiplicity != .set })
            else { continue }
            chosen.append(property)
        }
        guard !chosen.isEmpty else { return nil }
        let isMany = chosen.contains { $0.multiplicity == .list || $0.multiplicity == .set }
        return IndexSchema(
            number: schema.takeNumber(), properties: chosen.map(\.number),
            isUnique: !isMany && random.isOne(in: 3))
    }
}
