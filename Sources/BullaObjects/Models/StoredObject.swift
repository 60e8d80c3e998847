internal import BullaMemory
public import FoundationEssentials

/// An object as it lies in the store, from which a model is made.
///
/// Properties are asked for by their ordinals, in the order of their declaration. What is not asked
/// for is not looked at.
public struct StoredObject: ~Copyable {
    package let object: ObjectBytes
    package let binding: TypeBinding
    package let bindings: ObjectBindings
    /// In how many embedded values it lies: none, of an object.
    package var depth = 0
    /// What the object has sealed in one blob, opened.
    var content: Row?

    /// The value of a property.
    ///
    /// - Throws: `damaged` where what is stored is no value of its type; `unknownValue` where it is
    ///   one that this program does not know.
    /// - Complexity: no look at other properties.
    public func read<Value: PropertyValue>(_ ordinal: Int) throws(ObjectError) -> Value {
        try value(ordinal)
    }

    private func value<Value: PropertyValue>(_ ordinal: Int) throws(ObjectError) -> Value {
        let owner = binding.table.map { ObjectOwner(table: $0, key: object.key, isContent: false) }
        return try read(object, binding, ordinal, owner)
    }

    /// The value of a property that the model has sealed with others.
    ///
    /// - Throws: as ``read(_:)``.
    public func readSealed<Value: PropertyValue>(_ ordinal: Int) throws(ObjectError) -> Value {
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

/// What most properties hold, read as any value is, in less time: the bytes are decoded where they
/// lie, and what that does not read is left to the general way, which says what is wrong.
extension StoredObject {
    /// The whole number of a property.
    public func read(_ ordinal: Int) throws(ObjectError) -> Int {
        if let number = plainValue(ordinal).flatMap({ OrderedInteger($0) })?.signed {
            return Int(number)
        }
        return try value(ordinal)
    }

    /// The text of a property.
    public func read(_ ordinal: Int) throws(ObjectError) -> String {
        if let text = plainValue(ordinal)?.textIfValid { return text }
        return try value(ordinal)
    }

    /// The number of a property.
    public func read(_ ordinal: Int) throws(ObjectError) -> Double {
        if let number = plainValue(ordinal).flatMap({ OrderedDouble($0) }) { return number.value }
        return try value(ordinal)
    }

    /// The moment of a property.
    public func read(_ ordinal: Int) throws(ObjectError) -> Date {
        if let seconds = plainValue(ordinal).flatMap({ OrderedDouble($0) })?.value {
            return Date(timeIntervalSinceReferenceDate: seconds)
        }
        return try value(ordinal)
    }

    /// Whether a property is true.
    public func read(_ ordinal: Int) throws(ObjectError) -> Bool {
        if let bytes = plainValue(ordinal), let value = Bool(ordered: bytes) { return value }
        return try value(ordinal)
    }

    private func plainValue(_ ordinal: Int) -> ByteView? {
        binding.layout.plainValue(binding.numbers[ordinal], of: object)
    }
}
