import BullaMemory
import BullaObjects
import BullaTestSupport

/// A condition on plain values, with which a filter must agree.
indirect enum Condition {
    case compare([PropertySchema], Filter.Comparison, Scalar)
    case refersTo([PropertySchema], [Scalar])
    case isNil([PropertySchema])
    case oneOf([PropertySchema], [Scalar])
    case hasPrefix([PropertySchema], Scalar)
    case contains([PropertySchema], Scalar)
    case folded([PropertySchema], Filter.Folded, String)
    case columns(PropertySchema, Filter.Comparison, PropertySchema)
    case entry(PropertySchema, String, Filter.Comparison, Scalar)
    case some(PropertySchema, Filter.Quantifier, Filter.Comparison, Scalar)
    case count(PropertySchema, Filter.Comparison, Int)
    case referrers(LinkName, Filter.Comparison, Int)
    case not(Condition)
    case all([Condition])
    case any([Condition])

    private static let comparisons: [Filter.Comparison] = [
        .equal, .equal, .unequal, .less, .atMost, .greater, .atLeast,
    ]

    static func draw(
        of model: ModelSchema, _ oracle: Oracle, _ random: inout TestRandom, depth: Int = 0
    ) -> Condition {
        guard depth < 2, random.isOne(in: 2) else { return leaf(of: model, oracle, &random) }
        let parts = (0...random.below(3)).map { _ in
            draw(of: model, oracle, &random, depth: depth + 1)
        }
        switch random.below(5) {
        case 0: return .not(parts[0])
        case 1: return .any(parts)
        default: return .all(parts)
        }
    }

    private static func leaf(
        of model: ModelSchema, _ oracle: Oracle, _ random: inout TestRandom
    ) -> Condition {
        if random.isOne(in: 10), let link = oracle.links(to: model).randomElement(using: &random) {
            return .referrers(link, random.pick(comparisons), random.below(3))
        }
        let property = random.pick(model.current)
        switch (property.kind, property.multiplicity) {
        case (.scalar(let type), .one), (.scalar(let type), .optional):
            return random.isOne(in: 8)
                ? columns(property, of: model, &random) : value([property], type, oracle, &random)
        case (.scalar(let type), .dictionary):
            return .entry(
                property, "\(random.below(4))", random.pick(comparisons),
                oracle.scalar(type, &random))
        case (.scalar(let type), _):
            return random.isOne(in: 3)
                ? .count(property, random.pick(comparisons), random.below(4))
                : .some(
                    property, random.pick([.some, .some, .every, .none]), random.pick(comparisons),
                    oracle.scalar(type, &random))
        case (.link(let target), .optional): return link(property, target, oracle, &random)
        case (.embedded(let number), .optional):
            let inner = oracle.schema.embedded(number)?.properties.filter { !$0.isRetired } ?? []
            return inside(property, inner, oracle, &random)
        default: return .count(property, random.pick(comparisons), random.below(3))
        }
    }

    private static func value(
        _ path: [PropertySchema], _ type: ScalarType, _ oracle: Oracle, _ random: inout TestRandom
    ) -> Condition {
        switch random.below(8) {
        case 0: .isNil(path)
        case 1: .oneOf(path, (0..<3).map { _ in oracle.scalar(type, &random) })
        case 2 where type == .string: .hasPrefix(path, .string("n"))
        case 3 where type == .string: .contains(path, .string("x0"))
        case 4 where type == .string:
            .folded(
                path, random.pick([.equal, .prefix, .contains]), random.pick(["N1", "n", "X"]))
        default: .compare(path, random.pick(comparisons), oracle.scalar(type, &random))
        }
    }

    /// Compares a property with another of its type, or with itself.
    private static func columns(
        _ property: PropertySchema, of model: ModelSchema, _ random: inout TestRandom
    ) -> Condition {
        let others = model.current.filter { other in
            other.kind == property.kind && [.one, .optional].contains(other.multiplicity)
        }
        return .columns(property, random.pick(comparisons), random.pick(others))
    }

    private static func link(
        _ property: PropertySchema, _ target: Int, _ oracle: Oracle, _ random: inout TestRandom
    ) -> Condition {
        guard let other = oracle.schema.model(target) else { return .isNil([property]) }
        switch random.below(3) {
        case 0: return .isNil([property])
        case 1: return .refersTo([property], oracle.key(of: other, &random))
        default: return inside(property, other.current, oracle, &random)
        }
    }

    /// A condition on what lies one step beyond a property.
    private static func inside(
        _ property: PropertySchema, _ properties: [PropertySchema], _ oracle: Oracle,
        _ random: inout TestRandom
    ) -> Condition {
        guard let next = properties.randomElement(using: &random),
            case .scalar(let type) = next.kind,
            next.multiplicity == .one || next.multiplicity == .optional
        else { return .isNil([property]) }
        return value([property, next], type, oracle, &random)
    }
}

/// The same condition as a filter for a store.
extension Condition {
    func filter(_ oracle: Oracle) -> Filter {
        switch self {
        case .compare(let path, let comparison, let value):
            .test(Self.path(path), .compare(comparison, value.bytes))
        case .refersTo(let path, let key):
            .test(Self.path(path), .compare(.equal, Self.key(key)))
        case .isNil(let path): .test(Self.path(path), .isNil)
        case .oneOf(let path, let values):
            .test(Self.path(path), .oneOf(Set(values.map(\.bytes))))
        case .hasPrefix(let path, let value): .test(Self.path(path), .hasPrefix(value.bytes))
        case .contains(let path, let value): .test(Self.path(path), .contains(value.bytes))
        case .folded(let path, let word, let text):
            .test(Self.path(path), .folded(word, text.folded))
        case .columns(let one, let comparison, let other):
            .compare(Path(one.number), comparison, Path(other.number))
        case .entry(let property, let key, let comparison, let value):
            .test(
                Path(property.number),
                .entry(
                    Scalar.string(key).bytes,
                    .test(.element, .compare(comparison, value.bytes))))
        case .some(let property, let quantifier, let comparison, let value):
            .elements(
                Path(property.number), quantifier,
                .test(.element, .compare(comparison, value.bytes)))
        case .count(let property, let comparison, let count):
            .count(Path(property.number), comparison, count)
        case .referrers(let link, let comparison, let count):
            .count(
                Path(steps: [.backlinks(model: link.model, index: oracle.index(of: link))]),
                comparison, count)
        case .not(let condition): .not(condition.filter(oracle))
        case .all(let conditions): .all(conditions.map { $0.filter(oracle) })
        case .any(let conditions): .any(conditions.map { $0.filter(oracle) })
        }
    }

    static func key(_ parts: [Scalar]) -> [UInt8] {
        var key = OrderedKey()
        for part in parts { part.bytes.withView { key.append($0, part.type) } }
        return key.bytes
    }

    private static func path(_ properties: [PropertySchema]) -> Path {
        var steps: [Path.Step] = []
        for (index, property) in properties.enumerated() {
            steps.append(.property(property.number))
            guard index + 1 < properties.count else { continue }
            switch property.kind {
            case .link(let target): steps.append(.link(target))
            case .embedded(let type): steps.append(.embedded(type))
            default: break
            }
        }
        return Path(steps: steps)
    }
}

extension Oracle {
    /// The properties that refer to objects of a model.
    func links(to model: ModelSchema) -> [LinkName] {
        schema.models.flatMap { other in
            other.current.filter { $0.kind == .link(model.number) }.map { property in
                LinkName(model: other.number, property: property.number)
            }
        }
    }

    /// The number of the index that finds objects by the target of the link.
    fileprivate func index(of link: LinkName) -> Int {
        let indexes = schema.model(link.model)?.indexes ?? []
        return indexes.first { $0.properties == [link.property] }?.number ?? 0
    }
}
