import BullaObjects

/// Evaluates a condition on plain values.
struct ConditionAnswer {
    private let condition: Condition
    private let oracle: Oracle
    /// How many objects refer to each key by each of the condition's links, counted once in
    /// advance.
    private let referrers: [LinkName: [[Scalar]: Int]]

    init(_ condition: Condition, _ oracle: Oracle) {
        (self.condition, self.oracle) = (condition, oracle)
        referrers = Dictionary(
            condition.links.map { ($0, oracle.referrerCounts($0)) }, uniquingKeysWith: { $1 })
    }

    /// The objects of a model that satisfy the condition, in the order of their keys.
    func places(of model: ModelSchema) -> [Oracle.Place] {
        oracle.places(of: model).filter { place in
            holds(condition, place.key, oracle.objects[place] ?? ObjectFields())
        }
    }

    private func holds(_ condition: Condition, _ key: [Scalar], _ fields: ObjectFields) -> Bool {
        switch condition {
        case .compare(let path, let comparison, let value):
            compare(scalar(path, fields), comparison, value)
        case .refersTo(let path, let key): fields[path[0].name] == .link(key)
        case .isNil(let path): isNil(path, fields)
        case .oneOf(let path, let values):
            scalar(path, fields).map { own in values.contains { compare(own, .equal, $0) } }
                ?? false
        case .hasPrefix(let path, let value):
            texts(path, value, fields).map { $0.0.starts(with: $0.1) } ?? false
        case .contains(let path, let value):
            texts(path, value, fields).map { Self.contains($0.0, $0.1) } ?? false
        case .folded(let path, let word, let text): folded(scalar(path, fields), word, text)
        case .columns(let one, let comparison, let other):
            compare(scalar([one], fields), comparison, scalar([other], fields))
        case .entry(let property, let key, let comparison, let value):
            entry(fields[property.name], key).map { compare($0, comparison, value) }
                ?? (comparison == .unequal)
        case .some(let property, let quantifier, let comparison, let value):
            Self.quantify(
                elements(fields[property.name]).map { element -> Bool in
                    guard case .scalar(let own) = element else { return false }
                    return compare(own, comparison, value)
                }, quantifier)
        case .count(let property, let comparison, let count):
            Self.compare(elements(fields[property.name]).count, comparison, count)
        case .referrers(let link, let comparison, let count):
            Self.compare(referrers[link]?[key] ?? 0, comparison, count)
        case .not(let condition): !holds(condition, key, fields)
        case .all(let conditions): conditions.allSatisfy { holds($0, key, fields) }
        case .any(let conditions): conditions.contains { holds($0, key, fields) }
        }
    }

    private func isNil(_ path: [PropertySchema], _ fields: ObjectFields) -> Bool {
        path.count > 1 ? scalar(path, fields) == nil : fields[path[0].name] == .null
    }

    private func texts(
        _ path: [PropertySchema], _ value: Scalar, _ fields: ObjectFields
    ) -> ([UInt8], [UInt8])? {
        guard case .string(let own) = scalar(path, fields), case .string(let other) = value
        else { return nil }
        return (Array(own.utf8), Array(other.utf8))
    }

    private static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
        (0...text.count).contains { text[$0...].starts(with: part) }
    }

    private func folded(_ value: Scalar?, _ word: Filter.Folded, _ text: String) -> Bool {
        guard case .string(let value) = value else { return false }
        let own = Array(value.uppercased().lowercased().utf8)
        let other = Array(text.uppercased().lowercased().utf8)
        return switch word {
        case .equal: own == other
        case .prefix: own.starts(with: other)
        case .contains: Self.contains(own, other)
        }
    }

    private func entry(_ value: ObjectValue, _ key: String) -> Scalar? {
        guard case .dictionary(let values) = value, case .scalar(let scalar) = values[key] else {
            return nil
        }
        return scalar
    }

    private func elements(_ value: ObjectValue) -> [ObjectValue] {
        if case .list(let values) = value { values } else { [] }
    }

    private static func quantify(_ passed: [Bool], _ quantifier: Filter.Quantifier) -> Bool {
        switch quantifier {
        case .some: passed.contains(true)
        case .every: !passed.contains(false)
        case .none: !passed.contains(true)
        }
    }

    private func scalar(_ path: [PropertySchema], _ fields: ObjectFields) -> Scalar? {
        switch fields[path[0].name] {
        case .scalar(let scalar): return scalar
        case .embedded(let values) where path.count > 1:
            return scalar(Array(path.dropFirst()), ObjectFields(values))
        case .link(let key) where path.count > 1:
            guard case .link(let target) = path[0].kind,
                let other = oracle.objects[Oracle.Place(model: target, key: key)]
            else { return nil }
            return scalar(Array(path.dropFirst()), other)
        default: return nil
        }
    }
}

/// Comparisons.
extension ConditionAnswer {
    private func compare(
        _ own: Scalar?, _ comparison: Filter.Comparison, _ other: Scalar?
    ) -> Bool {
        guard let own, let other else {
            return switch comparison {
            case .equal: own == nil && other == nil
            case .unequal: own != nil || other != nil
            default: false
            }
        }
        let order = SampleValue(scalar: own).order(SampleValue(scalar: other))
        return Self.compare(order, comparison, 0)
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

extension Condition {
    /// The links whose referrers the condition counts.
    fileprivate var links: [LinkName] {
        switch self {
        case .referrers(let link, _, _): [link]
        case .not(let condition): condition.links
        case .all(let conditions), .any(let conditions): conditions.flatMap(\.links)
        default: []
        }
    }
}
