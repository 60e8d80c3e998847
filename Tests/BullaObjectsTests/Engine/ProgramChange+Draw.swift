import BullaObjects
import BullaTestSupport

/// Random changes.
extension ProgramChange {
    /// A change that a program can make, by itself or with a migration.
    static func draw(
        of program: RandomProgram, _ oracle: Oracle, _ random: inout TestRandom
    ) -> ProgramChange {
        while true {
            let model = random.pick(program.models)
            let change =
                switch random.below(16) {
                case 0...2: addition(to: model, oracle, &random)
                case 3...4: removal(from: model, &random)
                case 5...6: renaming(of: model, &random)
                case 7: loosening(of: model, &random)
                case 8: indexing(of: model, &random)
                case 9: ruling(of: model, &random)
                case 10: inside(of: program, oracle, &random)
                case 11: ProgramChange.reorder(seed: random.next(), model: model.name)
                case 12: models(of: program, model, &random)
                case 13: retyping(of: model, program, &random)
                case 14: keying(of: model, program, &random)
                default: ProgramChange.prune
                }
            if let change { return change }
        }
    }

    private static func freshName(
        _ properties: [Property], _ random: inout TestRandom
    ) -> String {
        // Choose among few names, so that they are reused.
        let names = (0..<16).map { "value\($0)" }.filter { name in
            !properties.contains { $0.name == name }
        }
        return random.pick(names)
    }

    private static func addition(
        to model: RandomProgram.Model, _ oracle: Oracle, _ random: inout TestRandom
    ) -> ProgramChange? {
        guard model.properties.count < 10 else { return nil }
        let many = random.pick([Multiplicity.one, .optional, .list, .set, .dictionary])
        return .add(scalar(many, model.properties, oracle, &random), model: model.name)
    }

    private static func scalar(
        _ multiplicity: Multiplicity, _ others: [Property], _ oracle: Oracle,
        _ random: inout TestRandom
    ) -> Property {
        let type = random.pick(ScalarType.allCases)
        let value = ObjectValue.scalar(oracle.scalar(type, &random))
        let initial: ObjectValue? =
            switch multiplicity {
            case .one: value
            case .optional: random.isOne(in: 2) ? nil : value
            case .list, .set: random.isOne(in: 2) ? nil : .list([value])
            case .dictionary: random.isOne(in: 2) ? nil : .dictionary(["1": value])
            }
        return Property(
            name: freshName(others, &random), kind: .scalar(type), multiplicity: multiplicity,
            initial: initial)
    }

    private static func removal(
        from model: RandomProgram.Model, _ random: inout TestRandom
    ) -> ProgramChange? {
        guard model.properties.count > 4 else { return nil }
        return model.changeable.randomElement(using: &random).map {
            .remove($0.name, model: model.name)
        }
    }

    private static func renaming(
        of model: RandomProgram.Model, _ random: inout TestRandom
    ) -> ProgramChange? {
        .rename(
            random.pick(model.properties).name, to: freshName(model.properties, &random),
            model: model.name)
    }

    private static func loosening(
        of model: RandomProgram.Model, _ random: inout TestRandom
    ) -> ProgramChange? {
        model.changeable.filter { $0.multiplicity == .one }.randomElement(using: &random).map {
            .makeOptional($0.name, model: model.name)
        }
    }

    private static func indexing(
        of model: RandomProgram.Model, _ random: inout TestRandom
    ) -> ProgramChange? {
        if random.isOne(in: 3), !model.indexes.isEmpty {
            return .dropIndex(random.below(model.indexes.count), model: model.name)
        }
        let single = model.properties.filter { property in
            if case .embedded = property.kind { return false }
            return [.one, .optional].contains(property.multiplicity)
        }
        let names = single.shuffled(using: &random).prefix(1 + random.below(2)).map(\.name)
        let isUnique = random.isOne(in: 3)
        let isDeclared = model.indexes.contains { $0.properties == names }
        guard !names.isEmpty, !isDeclared, model.indexes.count < 6 else { return nil }
        return .addIndex(
            RandomProgram.Index(properties: names, isUnique: isUnique), model: model.name)
    }

    private static func ruling(
        of model: RandomProgram.Model, _ random: inout TestRandom
    ) -> ProgramChange? {
        let links = model.properties.filter { if case .link = $0.kind { true } else { false } }
        return links.randomElement(using: &random).map {
            .setRule(random.pick([.nullify, .cascade, .deny]), of: $0.name, model: model.name)
        }
    }

    private static func inside(
        of program: RandomProgram, _ oracle: Oracle, _ random: inout TestRandom
    ) -> ProgramChange? {
        // A type that no property has does not belong to the program.
        guard let type = program.embedded.first, program.uses(type) else { return nil }
        let properties = type.properties
        switch random.below(3) {
        case 0 where properties.count < 8:
            let many = random.pick([Multiplicity.one, .optional, .list])
            return .addInside(scalar(many, properties, oracle, &random), type: type.name)
        case 1 where properties.count > 1:
            return .removeInside(random.pick(properties).name, type: type.name)
        default:
            return .renameInside(
                random.pick(properties).name, to: freshName(properties, &random), type: type.name)
        }
    }

    private static func models(
        of program: RandomProgram, _ model: RandomProgram.Model, _ random: inout TestRandom
    ) -> ProgramChange? {
        let names = (0..<12).map { "Model\($0)" }.filter { program[$0] == nil }
        let name = random.pick(names)
        guard program.models.count < 6, random.isOne(in: 2) else {
            return .renameModel(model.name, to: name)
        }
        let key = Property(name: "key0", kind: .scalar(.integer), multiplicity: .one)
        let link = Property(
            name: "link1", kind: .link(model.name), multiplicity: .optional, rule: .cascade)
        return .addModel(
            RandomProgram.Model(name: name, properties: [key, link], key: ["key0"], indexes: []))
    }
}

/// Changes that need a migration.
extension ProgramChange {
    private static func retyping(
        of model: RandomProgram.Model, _ program: RandomProgram, _ random: inout TestRandom
    ) -> ProgramChange? {
        let single = model.changeable.filter { [.one, .optional].contains($0.multiplicity) }
        guard let property = single.randomElement(using: &random),
            case .scalar(let old) = property.kind
        else { return nil }
        return .retype(
            Retyping(
                name: "step \(program.migrations.count) \(random.next())", model: model.name,
                property: property.name, old: old, new: random.pick(ScalarType.allCases),
                isDeleting: random.isOne(in: 2), isFailing: random.isOne(in: 4)))
    }

    private static func keying(
        of model: RandomProgram.Model, _ program: RandomProgram, _ random: inout TestRandom
    ) -> ProgramChange? {
        let isLinked = program.models.flatMap(\.properties).contains {
            $0.kind == .link(model.name)
        }
        let parts = model.properties.filter { property in
            let types: [RandomProgram.Kind] = [
                .scalar(.integer), .scalar(.uuid), .scalar(.boolean),
            ]
            return model.key.contains(property.name)
                || property.multiplicity == .one && types.contains(property.kind)
        }
        let key = parts.shuffled(using: &random).prefix(1 + random.below(3)).map(\.name)
        guard !isLinked, key != model.key else { return nil }
        return .changeKey(
            key, migration: "step \(program.migrations.count) \(random.next())", model: model.name)
    }
}

extension RandomProgram {
    /// Whether any model has a property of an embedded type.
    fileprivate func uses(_ type: Embedded) -> Bool {
        models.contains { model in
            model.properties.contains { $0.kind == .embedded(type.name) }
        }
    }
}
