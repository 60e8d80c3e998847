import BullaObjects
import BullaTestSupport

/// The difference between a program's version and the previous one.
enum ProgramChange {
    typealias Property = RandomProgram.Property

    case add(Property, model: String)
    case remove(String, model: String)
    case rename(String, to: String, model: String)
    case makeOptional(String, model: String)
    case setRule(DeleteRule, of: String, model: String)
    case addIndex(RandomProgram.Index, model: String)
    case dropIndex(Int, model: String)
    case reorder(seed: UInt64, model: String)
    case addModel(RandomProgram.Model)
    case renameModel(String, to: String)
    case addInside(Property, type: String)
    case removeInside(String, type: String)
    case renameInside(String, to: String, type: String)
    case retype(Retyping)
    case changeKey([String], migration: String, model: String)
    case prune
}

extension RandomProgram {
    /// The next version.
    mutating func apply(_ change: ProgramChange) {
        switch change {
        case .add(let property, let model): self[model]?.properties.append(property)
        case .remove(let name, let model):
            self[model]?.properties.removeAll { $0.name == name }
            self[model]?.indexes.removeAll { $0.properties.contains(name) }
        case .rename(let name, let new, let model): self[model]?.rename(name, to: new)
        case .makeOptional(let name, let model):
            self[model]?.change(name) { $0.multiplicity = .optional }
        case .setRule(let rule, let name, let model):
            self[model]?.change(name) { $0.rule = rule }
        case .addIndex(let index, let model): self[model]?.indexes.append(index)
        case .dropIndex(let place, let model): self[model]?.indexes.remove(at: place)
        case .reorder(let seed, let model):
            var random = TestRandom(seed: seed)
            self[model]?.properties.shuffle(using: &random)
        case .addModel(let model): models.append(model)
        case .renameModel(let name, let new): rename(model: name, to: new)
        case .addInside(let property, let type): self[type: type]?.properties.append(property)
        case .removeInside(let name, let type):
            self[type: type]?.properties.removeAll { $0.name == name }
        case .renameInside(let name, let new, let type):
            self[type: type]?.properties.change(name) { ($0.name, $0.formerName) = (new, name) }
        case .retype(let retyping):
            self[retyping.model]?.change(retyping.property) { property in
                (property.kind, property.initial) = (.scalar(retyping.new), nil)
            }
            migrations.append(retyping.migration)
        case .changeKey(let key, let migration, let model):
            self[model]?.key = key
            migrations.append(Migration(migration, model: model) { _, _ in })
        case .prune: break
        }
    }

    subscript(name: String) -> Model? {
        get { models.first { $0.name == name } }
        set {
            guard let place = models.firstIndex(where: { $0.name == name }), let newValue else {
                return
            }
            models[place] = newValue
        }
    }

    subscript(type name: String) -> Embedded? {
        get { embedded.first { $0.name == name } }
        set {
            guard let place = embedded.firstIndex(where: { $0.name == name }), let newValue else {
                return
            }
            embedded[place] = newValue
        }
    }

    private mutating func rename(model name: String, to new: String) {
        for place in models.indices {
            if models[place].name == name {
                (models[place].name, models[place].formerName) = (new, name)
            }
            for property in models[place].properties.indices
            where models[place].properties[property].kind == .link(name) {
                models[place].properties[property].kind = .link(new)
            }
        }
    }
}

extension RandomProgram.Model {
    fileprivate mutating func rename(_ name: String, to new: String) {
        func renamed(_ names: [String]) -> [String] { names.map { $0 == name ? new : $0 } }
        change(name) { ($0.name, $0.formerName) = (new, name) }
        key = renamed(key)
        for place in indexes.indices {
            indexes[place].properties = renamed(indexes[place].properties)
        }
    }

    fileprivate mutating func change(
        _ name: String, _ body: (inout RandomProgram.Property) -> Void
    ) {
        properties.change(name, body)
    }
}

extension [RandomProgram.Property] {
    fileprivate mutating func change(
        _ name: String, _ body: (inout RandomProgram.Property) -> Void
    ) {
        for place in indices where self[place].name == name { body(&self[place]) }
    }
}
