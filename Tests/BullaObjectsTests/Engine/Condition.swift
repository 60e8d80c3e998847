import BullaMemory
import BullaObjects
import BullaTestSupport
import FoundationEssentials

/// A condition that is asked of plain values, and that a filter must agree with.
indirect enum Condition {
    case compare([PropertySchema], Filter.Comparison, Scalar)
    case refersTo([PropertySchema], [Scalar])
    case isNil([PropertySchema])
    case oneOf([PropertySchema], [Scalar])
    case hasPrefix([PropertySchema], Scalar)
    case contains([PropertySchema], Scalar)
    case some(PropertySchema, Filter.Quantifier, Filter.Comparison, Scalar)
    case count(PropertySchema, Filter.Comparison, Int)
    case referrers(ModelSchema, PropertySchema, Filter.Comparison, Int)
    case not(Condition)
    case all([Condition])
    case any([Condition])

    static func draw(
        of model: ModelSchema, _ oracle: Oracle, _ random: inout TestRandom, depth: Int = 0
    ) -> Condition {
        if depth < 2, random.isOne(in: 2) {
            let parts = (0...random.below(3)).map { _ in
                draw(of: model, oracle, &random, depth: depth + 1)
            }
            switch random.below(5) {
            case 0: return .not(parts[0])
            case 1: return .any(parts)
            default: return .all(parts)
            }
        }
        return leaf(of: model, oracle, &random)
    }

    private static let comparisons: [Filter.Comparison] = [
        .equal, .equal, .unequal, .less, .atMost, .greater, .atLeast,
    ]

    private static func leaf(
        of model: ModelSchema, _ oracle: Oracle, _ random: inout TestRandom
    ) -> Condition {
        let property = random.pick(model.properties)
        let comparison = random.pick(comparisons)
        switch (property.kind, property.multiplicity) {
        case (.scalar(let type), .one), (.scalar(let type), .optional):
            let value = oracle.scalar(type, &random)
            switch random.below(6) {
            case 0: return .isNil([property])
            case 1: return .oneOf([property], (0..<3).map { _ in oracle.scalar(type, &random) })
            case 2 where type == .string: return .hasPrefix([property], .string("n"))
            case 3 where type == .string: return .contains([property], .string("x0"))
            default: return .compare([property], comparison, value)
            }
        case (.scalar(let type), .list), (.scalar(let type), .set):
            return random.isOne(in: 3)
                ? .count(property, comparison, random.below(4))
                : .some(
                    property, random.pick([.some, .some, .every, .none]), comparison,
                    oracle.scalar(type, &random))
        case (.link(let target), .optional):
            guard let other = oracle.schema.model(target) else { return .all([]) }
            switch random.below(3) {
            case 0: return .isNil([property])
            case 1: return .refersTo([property], oracle.key(of: other, &random))
            default:
                // One step along the link.
                let next = random.pick(other.properties)
                guard case .scalar(let type) = next.kind,
                    next.multiplicity == .one || next.multiplicity == .optional
                else { return .isNil([property]) }
                return .compare([property, next], comparison, oracle.scalar(type, &random))
            }
        case (.link, .list): return .count(property, comparison, random.below(3))
        default:
            let links = oracle.schema.models.flatMap { other in
                other.properties.filter { $0.kind == .link(model.number) }.map { (other, $0) }
            }
            guard !links.isEmpty else { return .all([]) }
            let link = random.pick(links)
            return .referrers(link.0, link.1, comparison, random.below(3))
        }
    }

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
        case .some(let property, let quantifier, let comparison, let value):
            .elements(
                Path(property.number), quantifier,
                .test(.element, .compare(comparison, value.bytes)))
        case .count(let property, let comparison, let count):
            .count(Path(property.number), comparison, count)
        case .referrers(let model, let property, let comparison, let count):
            .count(
                Path(steps: [
                    .backlinks(
                        model: model.number,
                        index: model.indexes.first { $0.properties == [property.number] }?.number
                            ?? 0)
                ]), comparison, count)
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

    static func path(_ properties: [PropertySchema]) -> Path {
        var steps: [Path.Step] = []
        for (index, property) in properties.enumerated() {
            steps.append(.property(property.number))
            if case .link(let target) = property.kind, index + 1 < properties.count {
                steps.append(.link(target))
            }
        }
        return Path(steps: steps)
    }
}

/// The plain answers.
extension Condition {
    func holds(_ place: Oracle.Place, _ oracle: Oracle) -> Bool {
        let fields = oracle.objects[place] ?? ObjectFields()
        switch self {
        case .compare(let path, let comparison, let value):
            return Self.compare(Self.scalar(path, fields, oracle), comparison, value)
        case .refersTo(let path, let key): return fields[path[0].name] == .link(key)
        case .isNil(let path): return fields[path[0].name] == .null
        case .oneOf(let path, let values):
            guard let own = Self.scalar(path, fields, oracle) else { return false }
            return values.contains { Self.compare(own, .equal, $0) }
        case .hasPrefix(let path, let value):
            return Self.texts(path, value, fields, oracle).map { $0.0.starts(with: $0.1) } ?? false
        case .contains(let path, let value):
            return Self.texts(path, value, fields, oracle).map { own, other in
                (0...own.count).contains { own[$0...].starts(with: other) }
            } ?? false
        case .some(let property, let quantifier, let comparison, let value):
            let values = Self.elements(fields[property.name]).map { element -> Bool in
                guard case .scalar(let own) = element else { return false }
                return Self.compare(own, comparison, value)
            }
            switch quantifier {
            case .some: return values.contains(true)
            case .every: return !values.contains(false)
            case .none: return !values.contains(true)
            }
        case .count(let property, let comparison, let count):
            return Self.compare(Self.elements(fields[property.name]).count, comparison, count)
        case .referrers(let model, let property, let comparison, let count):
            let found = oracle.places(of: model).count { other in
                oracle.links(oracle.objects[other]?[property.name] ?? .null).contains(place.key)
            }
            return Self.compare(found, comparison, count)
        case .not(let condition): return !condition.holds(place, oracle)
        case .all(let conditions): return conditions.allSatisfy { $0.holds(place, oracle) }
        case .any(let conditions): return conditions.contains { $0.holds(place, oracle) }
        }
    }

    private static func texts(
        _ path: [PropertySchema], _ value: Scalar, _ fields: ObjectFields, _ oracle: Oracle
    ) -> ([UInt8], [UInt8])? {
        guard case .string(let own) = scalar(path, fields, oracle), case .string(let other) = value
        else { return nil }
        return (Array(own.utf8), Array(other.utf8))
    }

    private static func elements(_ value: ObjectValue) -> [ObjectValue] {
        if case .list(let values) = value { values } else { [] }
    }

    static func scalar(
        _ path: [PropertySchema], _ fields: ObjectFields, _ oracle: Oracle
    ) -> Scalar? {
        switch fields[path[0].name] {
        case .scalar(let scalar): return scalar
        case .link(let key) where path.count > 1:
            guard case .link(let target) = path[0].kind,
                let other = oracle.objects[Oracle.Place(model: target, key: key)]
            else { return nil }
            return scalar(Array(path.dropFirst()), other, oracle)
        default: return nil
        }
    }

    private static func compare(
        _ own: Scalar?, _ comparison: Filter.Comparison, _ value: Scalar
    ) -> Bool {
        guard let own else { return comparison == .unequal }
        return compare(SampleValue(scalar: own).order(SampleValue(scalar: value)), comparison, 0)
    }

    private static func compare(_ own: Int, _ comparison: Filter.Comparison, _ other: Int) -> Bool {
        switch comparison {
        case .equal: own == other
        case .unequal: own != other
        case .less: own < other
        case .atMost: own <= other
        case .greater: own > other
        case .atLeast: own >= other
        }
    }
}
