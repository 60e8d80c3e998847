import BullaObjects
import BullaTestSupport
import FoundationEssentials

/// The expected content of a store of objects, in plain dictionaries.
struct Oracle {
    struct Place: Hashable {
        let model: Int
        let key: [Scalar]
    }

    private(set) var schema: DatabaseSchema
    private(set) var objects: [Place: ObjectFields] = [:]
    /// The objects of each model, in the order of their keys, so that a seed reproduces the draws.
    private var sorted: [Int: [Place]] = [:]

    init(_ schema: DatabaseSchema) { self.schema = schema }

    /// In the order of their keys.
    func places(of model: ModelSchema) -> [Place] { sorted[model.number] ?? [] }

    /// Whether another object has the values of this one in a unique index of the model.
    func isTaken(_ fields: ObjectFields, _ place: Place, _ model: ModelSchema) -> Bool {
        model.indexes.contains { index in
            guard index.isUnique else { return false }
            let values = values(fields, index, model)
            guard !values.contains(.null) else { return false }
            return objects.contains { other, otherFields in
                other.model == model.number && other != place
                    && self.values(otherFields, index, model) == values
            }
        }
    }

    private func values(
        _ fields: ObjectFields, _ index: IndexSchema, _ model: ModelSchema
    ) -> [ObjectValue] {
        index.properties.map { number in
            fields[model.property(number)?.name ?? ""]
        }
    }

    mutating func put(_ fields: ObjectFields, _ place: Place) {
        guard objects.updateValue(fields, forKey: place) == nil else { return }
        let rank = rank(of: place)
        sorted[place.model, default: []].insert(place, at: rank)
    }

    mutating func remove(_ place: Place) {
        guard objects.removeValue(forKey: place) != nil else { return }
        let rank = rank(of: place)
        sorted[place.model]?.remove(at: rank)
    }

    /// The position that an object has, or would get, among those of its model.
    private func rank(of place: Place) -> Int {
        let places = sorted[place.model] ?? []
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle].isBefore(place) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Adopts the schema that another version of the program has made from this one.
    mutating func adopt(_ schema: DatabaseSchema) { self.schema = schema }

    /// Deletes objects and everything that their links require; `false` if a link denies it.
    mutating func delete(_ places: [Place]) -> Bool {
        var (gone, next) = (places, 0)
        var denying: [Place] = []
        while next < gone.count {
            for (other, property) in referrers(to: gone[next]) {
                switch property.deleteRule ?? .nullify {
                case .cascade: if !gone.contains(other) { gone.append(other) }
                case .deny: denying.append(other)
                case .nullify: break
                }
            }
            next += 1
        }
        guard denying.allSatisfy(gone.contains) else { return false }
        for place in gone { forget(place) }
        for place in gone { remove(place) }
        return true
    }

    private func referrers(to place: Place) -> [(Place, PropertySchema)] {
        schema.models.flatMap { model in
            model.current.filter { $0.kind == .link(place.model) }.flatMap { property in
                places(of: model).filter { other in
                    links(objects[other]?[property.name] ?? .null).contains(place.key)
                }.map { ($0, property) }
            }
        }
    }

    private mutating func forget(_ place: Place) {
        for (other, property) in referrers(to: place) {
            guard var fields = objects[other] else { continue }
            if case .list(let values) = fields[property.name] {
                fields[property.name] = .list(values.filter { $0 != .link(place.key) })
            } else {
                fields[property.name] = .null
            }
            objects[other] = fields
        }
    }

    func links(_ value: ObjectValue) -> [[Scalar]] {
        switch value {
        case .link(let key): [key]
        case .list(let values): values.flatMap(links)
        default: []
        }
    }

    /// How many objects refer to each key.
    func referrerCounts(_ link: LinkName) -> [[Scalar]: Int] {
        guard let model = schema.model(link.model),
            let property = model.property(link.property)
        else { return [:] }
        var counts: [[Scalar]: Int] = [:]
        for place in places(of: model) {
            for key in Set(links(objects[place]?[property.name] ?? .null)) {
                counts[key, default: 0] += 1
            }
        }
        return counts
    }
}

/// A property with links, identified by its model's number and its own.
struct LinkName: Hashable {
    let model: Int
    let property: Int
}

extension Oracle.Place {
    /// Whether its key sorts before that of another.
    func isBefore(_ other: Oracle.Place) -> Bool {
        SampleValue.order(
            key.map { SampleValue(scalar: $0) }, other.key.map { SampleValue(scalar: $0) }) < 0
    }
}

extension ModelSchema {
    /// The properties that the program declares.
    var current: [PropertySchema] { properties.filter { !$0.isRetired } }
}

/// Random content of objects.
extension Oracle {
    func key(of model: ModelSchema, _ random: inout TestRandom) -> [Scalar] {
        model.keyTypes.map { type in
            while true {
                // Draw few different keys, so that they often coincide.
                let scalar: Scalar =
                    switch type {
                    case .integer: .integer(random.below(40))
                    case .string:
                        .string(
                            ["a", "b", "a\0", "\u{e9}", "long"][random.below(5)]
                                + "\(random.below(6))")
                    default: SampleValue.draw(type, &random).scalar
                    }
                if !scalar.isNaN { return scalar }
            }
        }
    }

    func fields(of model: ModelSchema, key: [Scalar], _ random: inout TestRandom) -> ObjectFields {
        var fields = ObjectFields()
        for property in model.current {
            fields[property.name] =
                if let part = model.key.firstIndex(of: property.number) { .scalar(key[part]) } else
                { value(of: property, &random) }
        }
        return fields
    }

    /// A random value, as a read would return it: lists are never nil, and sets are sorted.
    private func value(of property: PropertySchema, _ random: inout TestRandom) -> ObjectValue {
        switch property.multiplicity {
        case .one: return element(property.kind, &random)
        case .optional: return random.isOne(in: 3) ? .null : element(property.kind, &random)
        case .list: return .list((0..<random.below(4)).map { _ in element(property.kind, &random) })
        case .set:
            var elements: [ObjectValue] = []
            for _ in 0..<random.below(4) {
                let element = element(property.kind, &random)
                if !elements.contains(element) { elements.append(element) }
            }
            return .list(
                elements.sorted { one, other in
                    guard case .scalar(let one) = one, case .scalar(let other) = other else {
                        return false
                    }
                    return SampleValue(scalar: one).order(SampleValue(scalar: other)) < 0
                })
        case .dictionary:
            var values: [String: ObjectValue] = [:]
            for _ in 0..<random.below(3) {
                values["\(random.below(4))"] = element(property.kind, &random)
            }
            return .dictionary(values)
        }
    }

    private func element(_ kind: PropertySchema.Kind, _ random: inout TestRandom) -> ObjectValue {
        switch kind {
        case .scalar(let type): return .scalar(scalar(type, &random))
        case .link(let target):
            guard let model = schema.model(target) else { return .null }
            let places = places(of: model)
            // Sometimes draw a key that may belong to no object.
            return places.isEmpty || random.isOne(in: 10)
                ? .link(key(of: model, &random)) : .link(random.pick(places).key)
        case .embedded(let number):
            let properties = schema.embedded(number)?.properties.filter { !$0.isRetired } ?? []
            var fields: [String: ObjectValue] = [:]
            for property in properties { fields[property.name] = value(of: property, &random) }
            return .embedded(fields)
        case .coded: return .coded([1])
        case .sealed, .secret, .content: return .sealed([2])
        }
    }

    /// A length near the one at which an index of one text, or of two, truncates a text.
    private func longCount(_ random: inout TestRandom) -> Int {
        (random.isOne(in: 2) ? 186 : 377) + random.below(7)
    }

    /// A random scalar; integers, texts and doubles are usually one of a few values, but sometimes
    /// any value, and some texts are long.
    func scalar(_ type: ScalarType, _ random: inout TestRandom) -> Scalar {
        switch type {
        case .integer where !random.isOne(in: 4): .integer(random.below(5))
        case .string where random.isOne(in: 6):
            .string(String(repeating: "x", count: longCount(&random)) + "\(random.below(3))")
        case .string where !random.isOne(in: 4): .string("n\(random.below(5))")
        case .double where !random.isOne(in: 4): .double(Double(random.below(4)))
        default: SampleValue.draw(type, &random).scalar
        }
    }
}
