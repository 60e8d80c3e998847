internal import BullaMemory
public import FoundationEssentials

/// An object as the store holds it, from which a model's initializer reads.
///
/// You read properties by their ordinals, in the order of their declaration. A property that you do
/// not read costs nothing.
public struct StoredObject: ~Copyable {
    package let object: ObjectBytes
    package let binding: TypeBinding
    package let bindings: _ObjectBindings
    /// How deeply the value is embedded: 0 for an object itself, 1 for a value in an object, and so
    /// on.
    package var depth = 0
    /// The object's opened blob; nil if the model seals nothing.
    var content: Row?

    /// The value of a property.
    ///
    /// - Throws: `damaged` if the stored bytes are not a value of its type; `unknownValue` if this
    ///   program does not know the value.
    /// - Complexity: looks at no other property.
    public func read<Value: PropertyValue>(at ordinal: Int) throws(ObjectError) -> Value {
        try value(ordinal)
    }

    private func value<Value: PropertyValue>(_ ordinal: Int) throws(ObjectError) -> Value {
        let owner = binding.table.map { ObjectOwner(table: $0, key: object.key, isContent: false) }
        return try read(object, binding, ordinal, owner)
    }

    /// The value of a property that the model has sealed together with others.
    ///
    /// - Throws: as ``read(at:)``.
    public func readSealed<Value: PropertyValue>(at ordinal: Int) throws(ObjectError) -> Value {
        guard let content, let type = binding.content?.type, let table = binding.table else {
            throw binding.layout.damaged(ModelDefinition.contentName)
        }
        let owner = ObjectOwner(table: table, key: object.key, isContent: true)
        return try read(ObjectBytes(key: emptyView, row: content), type, ordinal, owner)
    }

    private func read<Value: PropertyValue>(
        _ object: ObjectBytes, _ binding: TypeBinding, _ ordinal: Int, _ owner: ObjectOwner?
    ) throws(ObjectError) -> Value {
        let (number, layout) = (binding.numbers[ordinal], binding.layout)
        return try layout.withValue(number, of: object) { value throws(ObjectError) in
            try Value(
                from: PropertyBytes(
                    value: value, bindings: bindings, layout: layout, number: number,
                    depth: depth, owner: owner))
        }
    }
}

/// Faster reading of the most common types.
///
/// These methods decode the bytes in place. If that fails, the general method reads the value, or
/// throws an error that says what is wrong with it.
extension StoredObject {
    /// The integer value of a property.
    public func read(at ordinal: Int) throws(ObjectError) -> Int {
        if let number = plainValue(ordinal).flatMap({ OrderedInteger($0) })?.signed {
            return Int(number)
        }
        return try value(ordinal)
    }

    /// The text value of a property.
    public func read(at ordinal: Int) throws(ObjectError) -> String {
        if let text = plainValue(ordinal)?.textIfValid { return text }
        return try value(ordinal)
    }

    /// The floating-point value of a property.
    public func read(at ordinal: Int) throws(ObjectError) -> Double {
        if let number = plainValue(ordinal).flatMap({ OrderedDouble($0) }) { return number.value }
        return try value(ordinal)
    }

    /// The date value of a property.
    public func read(at ordinal: Int) throws(ObjectError) -> Date {
        if let seconds = plainValue(ordinal).flatMap({ OrderedDouble($0) })?.value {
            return Date(timeIntervalSinceReferenceDate: seconds)
        }
        return try value(ordinal)
    }

    /// The Boolean value of a property.
    public func read(at ordinal: Int) throws(ObjectError) -> Bool {
        if let bytes = plainValue(ordinal), let value = Bool(ordered: bytes) { return value }
        return try value(ordinal)
    }

    private func plainValue(_ ordinal: Int) -> ByteView? {
        binding.layout.plainValue(binding.numbers[ordinal], of: object)
    }
}
