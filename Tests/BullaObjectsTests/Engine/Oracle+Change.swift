import BullaObjects

/// The effect of a program's change on plain values.
extension Oracle {
    /// Changes the values as the next version of a program changes the store.
    ///
    /// - Returns: the possible errors: the store must refuse the change with one of them; if there
    ///   are none, it must accept the change.
    mutating func apply(
        _ change: ProgramChange, to program: RandomProgram
    ) -> Set<ObjectError.Code> {
        switch change {
        case .add(let property, let model):
            forEachObject(of: model) { $0[property.name] = property.valueOfOld }
        case .remove(let name, let model): forEachObject(of: model) { $0.values[name] = nil }
        case .rename(let name, let new, let model):
            forEachObject(of: model) { $0.rename(name, to: new) }
        case .addIndex(let index, let model):
            return repeats(index, of: model) ? [.duplicateValue] : []
        case .addInside(let property, let type):
            forEachValue(of: type, in: program) { $0[property.name] = property.valueOfOld }
        case .removeInside(let name, let type):
            forEachValue(of: type, in: program) { $0.values[name] = nil }
        case .renameInside(let name, let new, let type):
            forEachValue(of: type, in: program) { $0.rename(name, to: new) }
        case .retype(let retyping): return apply(retyping, program)
        case .changeKey(let key, _, let model): return changeKey(of: model, to: key)
        case .makeOptional, .setRule, .dropIndex, .reorder, .addModel, .renameModel, .prune: break
        }
        return []
    }

    private func places(named model: String) -> [Place] {
        schema.model(named: model).map { places(of: $0) } ?? []
    }

    private mutating func forEachObject(of model: String, _ body: (inout ObjectFields) -> Void) {
        for place in places(named: model) {
            var fields = objects[place] ?? ObjectFields()
            body(&fields)
            put(fields, place)
        }
    }

    /// Visits the values of an embedded type, wherever they are.
    private mutating func forEachValue(
        of type: String, in program: RandomProgram, _ body: (inout ObjectFields) -> Void
    ) {
        for model in program.models {
            for property in model.properties where property.kind == .embedded(type) {
                forEachObject(of: model.name) { fields in
                    fields[property.name] = fields[property.name].mapEmbedded(body)
                }
            }
        }
    }

    private func repeats(_ index: RandomProgram.Index, of model: String) -> Bool {
        guard index.isUnique else { return false }
        var seen: Set<[ObjectValue]> = []
        return !places(named: model).allSatisfy { place in
            let values = index.properties.map { objects[place]?[$0] ?? .null }
            return values.contains(.null) || seen.insert(values).inserted
        }
    }

    private mutating func apply(
        _ retyping: Retyping, _ program: RandomProgram
    ) -> Set<ObjectError.Code> {
        var (codes, gone) = (Set<ObjectError.Code>(), [Place]())
        for place in places(named: retyping.model) {
            var fields = objects[place] ?? ObjectFields()
            let value: Scalar? =
                if case .scalar(let scalar) = fields[retyping.property] { scalar } else { nil }
            switch retyping.outcome(value) {
            case .failure: codes.insert(.migrationFailed)
            case .deletion: gone.append(place)
            case .value(let new):
                fields[retyping.property] = new.map { .scalar($0) } ?? .null
                put(fields, place)
            }
        }
        // Deleted objects never enter the new tree, so they repeat no value there; references to
        // them are handled at the end.
        var kept = self
        for place in gone { kept.remove(place) }
        let indexes = program[retyping.model]?.indexes ?? []
        if indexes.contains(where: { kept.repeats($0, of: retyping.model) }) {
            codes.insert(.duplicateValue)
        }
        if !delete(gone) { codes.insert(.referenced) }
        return codes
    }

    private mutating func changeKey(
        of model: String, to key: [String]
    ) -> Set<ObjectError.Code> {
        var moved: [Place: ObjectFields] = [:]
        let places = places(named: model)
        for place in places {
            let fields = objects[place] ?? ObjectFields()
            let parts = key.map { name -> Scalar in
                if case .scalar(let scalar) = fields[name] { scalar } else { .boolean(false) }
            }
            moved[Place(model: place.model, key: parts)] = fields
        }
        guard moved.count == places.count else { return [.duplicateKey] }
        for place in places { remove(place) }
        for (place, fields) in moved { put(fields, place) }
        return []
    }
}

extension RandomProgram.Property {
    /// The value that existing objects get.
    fileprivate var valueOfOld: ObjectValue {
        if let initial { return initial }
        return switch multiplicity {
        case .one, .optional: .null
        case .list, .set: .list([])
        case .dictionary: .dictionary([:])
        }
    }
}

extension ObjectFields {
    fileprivate mutating func rename(_ name: String, to new: String) {
        values[new] = values.removeValue(forKey: name)
    }
}

extension ObjectValue {
    fileprivate func mapEmbedded(_ body: (inout ObjectFields) -> Void) -> ObjectValue {
        switch self {
        case .embedded(let values):
            var fields = ObjectFields(values)
            body(&fields)
            return .embedded(fields.values)
        case .list(let values): return .list(values.map { $0.mapEmbedded(body) })
        default: return self
        }
    }
}
