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

    /// The value of a property.
    ///
    /// - Throws: `damaged` where what is stored is no value of its type; `unknownValue` where it is
    ///   one that this program does not know.
    /// - Complexity: no look at other properties.
    public func read<Value: PropertyValue>(_ ordinal: Int) throws(ObjectError) -> Value {
        let (number, layout) = (binding.numbers[ordinal], binding.layout)
        return try layout.withValue(number, of: object) { value throws(ObjectError) in
            try Value(
                from: PropertyBytes(
                    value: value, bindings: bindings, layout: layout, number: number,
                    depth: depth))
        }
    }
}

/// An object that is to be stored, made of a model.
///
/// Each property is written once, in any order.
public struct ObjectDraft: ~Copyable {
    private var row = RowDraft()
    private var keyParts: [(part: Int, bytes: [UInt8])] = []
    private let binding: TypeBinding
    private let bindings: ObjectBindings

    package init(_ binding: TypeBinding, _ bindings: ObjectBindings) {
        (self.binding, self.bindings) = (binding, bindings)
        row.begin(count: binding.layout.count)
    }

    /// Writes a property.
    ///
    /// - Throws: `invalidKey` where a part of a key is none that a key can have.
    public mutating func write<Value: PropertyValue>(
        _ value: Value, _ ordinal: Int
    ) throws(ObjectError) {
        var bytes = ValueBytes(bindings)
        guard try value.write(to: &bytes) else { return }
        bytes.bytes.withView { set(binding.numbers[ordinal], $0) }
    }

    /// Sets the bytes of the property of a number.
    mutating func set(_ number: Int, _ value: ByteView) {
        if let part = binding.layout.keyPart(of: number) {
            keyParts.append((part, value.copied()))
        } else if !binding.layout.isOmitted(value, number) {
            row.set(number, value)
        }
    }

    /// The bytes of the key, and those of the row.
    package consuming func finish() throws(ObjectError) -> (key: [UInt8], row: [UInt8]) {
        var key = OrderedKey()
        for (part, type) in binding.layout.key.enumerated() {
            guard let bytes = keyParts.first(where: { $0.part == part })?.bytes else {
                throw ObjectError(.invalidKey, "write \(binding.layout.name): its key is missing")
            }
            try bytes.withView { view throws(ObjectError) in
                guard Scalar(view, type)?.isNaN == false else {
                    throw ObjectError(
                        .invalidKey, "write \(binding.layout.name): what is no number is no key")
                }
                key.append(view, type)
            }
        }
        return (key.bytes, try row.bytes(of: binding.layout))
    }
}
