internal import BullaMemory

/// An object that a ``Migration`` changes: the values that it had, and those that it will have.
///
/// You read and set properties by name: a name that the store knew, or a name in the current model.
/// A property that you do not set keeps its value, if the model still has it with the same type.
public struct MigratedObject: ~Copyable {
    private struct Setting {
        let type: PropertyType
        let bytes: [UInt8]?
    }

    private let object: ObjectBytes
    private let former: ModelSchema
    private let formerLayout: ObjectLayout
    private let binding: TypeBinding
    private let bindings: _ObjectBindings
    private let formerNames: [Int: String]
    private var settings: [String: Setting] = [:]
    private(set) var isDeleted = false

    /// - Parameters:
    ///   - object: the object as the store holds it.
    ///   - former: its model in the store's former schema.
    ///   - binding: its model in the store's new schema.
    ///   - formerNames: the former names of the new model's properties, by number, except those
    ///     names that another property has now.
    init(
        _ object: ObjectBytes, _ former: ModelSchema, _ formerLayout: ObjectLayout,
        _ binding: TypeBinding, _ bindings: _ObjectBindings, _ formerNames: [Int: String]
    ) {
        self.formerNames = formerNames
        (self.object, self.former, self.formerLayout) = (object, former, formerLayout)
        (self.binding, self.bindings) = (binding, bindings)
    }

    /// Whether it has a property with that name, stored or set.
    public func has(_ name: String) -> Bool { setting(name) != nil || stored(name) != nil }

    /// The value of a property: the one that was set, or else the stored one.
    ///
    /// - Throws: `migrationNeeded` if there is no such property, or it has another type; `damaged`,
    ///   `unknownValue`.
    public func value<Value: PropertyValue>(
        _ name: String, as type: Value.Type = Value.self
    ) throws(ObjectError) -> Value {
        if let setting = setting(name) {
            guard fits(Value.propertyType, setting.type) else { throw unfit(name) }
            return try setting.bytes.lend { bytes throws(ObjectError) in
                try read(bytes, number: 0)
            }
        }
        guard let property = stored(name) else {
            throw refused("it has no property \(name)")
        }
        let type = Value.propertyType
        guard property.kind == PropertySchema.Kind(type.kind, in: bindings.tables.schema),
            property.multiplicity.canBe(type.multiplicity)
        else { throw unfit(name) }
        return try formerLayout.withValue(property.number, of: object) {
            bytes throws(ObjectError) in try read(bytes, number: property.number)
        }
    }

    /// Sets a property.
    ///
    /// If no property has this name, the value is not stored, but later migrations can read it.
    ///
    /// - Throws: the errors of encoding the value.
    public mutating func set<Value: PropertyValue>(
        _ name: String, to value: Value
    ) throws(ObjectError) {
        var bytes = ValueBytes(bindings)
        let isThere = try value.write(to: &bytes)
        settings[name] = Setting(type: Value.propertyType, bytes: isThere ? bytes.bytes : nil)
    }

    /// Deletes the object.
    ///
    /// The delete rules of the links to it are applied once all models are migrated. Later
    /// migrations do not see the object.
    public mutating func delete() { isDeleted = true }

    private func read<Value: PropertyValue>(
        _ bytes: ByteView?, number: Int
    ) throws(ObjectError) -> Value {
        try Value(
            from: PropertyBytes(
                value: bytes, bindings: bindings, layout: formerLayout, number: number, depth: 0,
                owner: binding.table.map {
                    ObjectOwner(table: $0, key: object.key, isContent: false)
                }))
    }

    /// The value that was set for a property, under `name` or the property's former name.
    private func setting(_ name: String) -> Setting? {
        if let setting = settings[name] { return setting }
        let number = binding.table?.model.property(named: name)?.number
        return number.flatMap { formerNames[$0] }.flatMap { settings[$0] }
    }

    /// The stored property with a name: the one so named in the former schema; otherwise the one so
    /// named in the new schema; otherwise the last removed property of that name.
    private func stored(_ name: String) -> PropertySchema? {
        if let property = former.property(named: name) { return property }
        let number = binding.table?.model.property(named: name)?.number
        if let property = number.flatMap({ former.property($0) }) { return property }
        return former.properties.last { $0.name == name }
    }

    private func fits(_ one: PropertyType, _ other: PropertyType) -> Bool {
        let schema = bindings.tables.schema
        return PropertySchema.Kind(one.kind, in: schema)
            == PropertySchema.Kind(other.kind, in: schema)
            && other.multiplicity.canBe(one.multiplicity)
    }

    private func unfit(_ name: String) -> ObjectError { refused("\(name) is of another type") }

    private func refused(_ reason: String) -> ObjectError {
        let key = formerLayout.text(ofKey: object.key)
        return ObjectError(.migrationNeeded, "migrate \(former.name) \(key): \(reason)")
    }
}

/// The result of the migrations.
extension MigratedObject {
    /// The new key and row of the object.
    ///
    /// - Throws: `migrationNeeded` if a property that cannot be nil has no value; `invalidKey`,
    ///   `tooLarge`, `damaged`.
    borrowing func finish() throws(ObjectError) -> (key: [UInt8], row: [UInt8]) {
        var draft = ObjectDraft(binding, bindings)
        for property in binding.table?.model.properties ?? [] {
            if let setting = property.isRetired ? nil : setting(property.name) {
                try write(setting, to: property, &draft)
            } else if former.property(property.number) != nil {
                try formerLayout.withValue(property.number, of: object) {
                    bytes throws(ObjectError) in
                    if let bytes { draft.set(property.number, bytes) }
                }
            } else if let initial = property.initial {
                initial.withView { draft.set(property.number, $0) }
            } else if property.multiplicity == .one {
                throw refused("no migration has set \(property.name)")
            }
        }
        let key = try draft.key()
        // A stored value that becomes a part of the key was never checked against the part's type.
        guard key.withView({ binding.table?.model.parts(ofKey: $0) }) != nil else {
            throw formerLayout.damaged("key")
        }
        let isSealed = former.properties.contains { $0.vault != nil && !$0.isRetired }
        guard !isSealed || key.withView({ $0 == object.key }) else {
            throw refused("its key has changed, but its sealed values are bound to the former one")
        }
        return (key, try draft.row(key, over: nil).bytes)
    }

    private borrowing func write(
        _ setting: Setting, to property: PropertySchema, _ draft: inout ObjectDraft
    ) throws(ObjectError) {
        let kind = PropertySchema.Kind(setting.type.kind, in: bindings.tables.schema)
        guard kind == property.kind, setting.type.multiplicity.canBe(property.multiplicity) else {
            throw unfit(property.name)
        }
        setting.bytes?.withView { draft.set(property.number, $0) }
    }
}
