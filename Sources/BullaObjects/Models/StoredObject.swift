internal import BullaMemory

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
