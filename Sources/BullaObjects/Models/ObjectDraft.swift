package import BullaMemory

/// An object on its way from a model into the store.
///
/// Each property is written once, in any order.
public struct ObjectDraft: ~Copyable {
    private var row = RowDraft()
    /// Scratch memory for one value at a time.
    private var scratch: [UInt8] = []
    private var keyParts: [(part: Int, bytes: [UInt8])] = []
    /// The values that the draft seals once it has the object's key.
    private var sealed: [SealedPart] = []
    /// The properties that the model seals together; nil until one of them is written.
    private var content: ContentDraft?
    private let binding: TypeBinding
    private let bindings: _ObjectBindings

    package init(_ binding: TypeBinding, _ bindings: _ObjectBindings) {
        (self.binding, self.bindings) = (binding, bindings)
        row.begin(count: binding.layout.count)
    }

    /// Writes a property.
    ///
    /// - Throws: the errors of encoding the value.
    public mutating func write<Value: PropertyValue>(
        _ value: Value, at ordinal: Int
    ) throws(ObjectError) {
        // Swap the scratch memory out, so that writing to it does not copy it.
        var bytes = ValueBytes(bindings)
        swap(&bytes.bytes, &scratch)
        bytes.bytes.removeAll(keepingCapacity: true)
        if try value.write(to: &bytes) {
            bytes.bytes.withView { set(binding.numbers[ordinal], $0) }
        }
        swap(&bytes.bytes, &scratch)
    }

    /// Writes a property that a vault seals separately.
    public mutating func write<Value: Sealable>(
        _ value: Sealed<Value>, at ordinal: Int
    ) throws(ObjectError) {
        sealed.append(SealedPart(number: binding.numbers[ordinal], value: value))
    }

    /// Writes a property that the model seals together with others.
    ///
    /// - Throws: `invalidModel` if the model seals nothing.
    public mutating func writeSealed<Value: PropertyValue>(
        _ value: Value, at ordinal: Int
    ) throws(ObjectError) {
        var bytes = ValueBytes(bindings)
        let isThere = try value.write(to: &bytes)
        try bytes.bytes.withView { view throws(ObjectError) in
            try withContent { if isThere { $0.set(ordinal, view) } }
        }
    }

    /// Writes a property that a vault seals separately, inside the blob of a sealed model.
    ///
    /// - Throws: as for a property that is not sealed separately.
    public mutating func writeSealed<Value: Sealable>(
        _ value: Sealed<Value>, at ordinal: Int
    ) throws(ObjectError) { try withContent { $0.add(value, ordinal) } }

    private mutating func withContent(
        _ body: (inout ContentDraft) -> Void
    ) throws(ObjectError) {
        guard let type = binding.content else {
            throw ObjectError(.invalidModel, "write \(binding.layout.name): it seals nothing")
        }
        var draft = content ?? ContentDraft(type)
        // Set the content to nil while `body` runs, so that `body` need not copy what it changes.
        content = nil
        body(&draft)
        content = draft
    }

    /// Sets the bytes of the property with a number.
    mutating func set(_ number: Int, _ value: ByteView) {
        if let part = binding.layout.keyPart(of: number) {
            keyParts.append((part, value.copied()))
        } else if !binding.layout.isOmitted(value, number) {
            row.set(number, value)
        }
    }

    /// The bytes of the key.
    package func key() throws(ObjectError) -> [UInt8] {
        var key = OrderedKey()
        for (part, type) in binding.layout.key.enumerated() {
            guard let bytes = keyParts.first(where: { $0.part == part })?.bytes else {
                throw ObjectError(.invalidKey, "write \(binding.layout.name): its key is missing")
            }
            try bytes.withView { view throws(ObjectError) in
                guard !type.hasNaN || Scalar(view, type)?.isNaN == false else {
                    throw ObjectError(
                        .invalidKey, "write \(binding.layout.name): NaN cannot be in a key")
                }
                key.append(view, type)
            }
        }
        return key.bytes
    }

    /// The visible properties, as the object's position in an order; seals nothing.
    func position() throws(ObjectError) -> ObjectPosition {
        ObjectPosition(key: try key(), row: try row.bytes(of: binding.layout))
    }

    /// The bytes of the key and the row.
    package func finish() throws(ObjectError) -> (key: [UInt8], row: [UInt8]) {
        let key = try key()
        return (key, try row(key, over: nil).bytes)
    }

    /// The row, and the former sealed values that it replaces, if their history is kept.
    ///
    /// A sealed value that has not changed keeps its bytes.
    ///
    /// - Parameters:
    ///   - key: the object's key.
    ///   - former: the stored row that this one replaces; `nil` if there is none.
    /// - Throws: `sealed`, `tooLarge`, `damaged`.
    package func row(
        _ key: [UInt8], over former: ByteView?
    ) throws(ObjectError) -> SealedRow {
        guard !sealed.isEmpty || content != nil else {
            return SealedRow(bytes: try row.bytes(of: binding.layout), replaced: [])
        }
        guard let table = binding.table else {
            throw ObjectError(
                .invalidModel, "write \(binding.layout.name): only a model can seal")
        }
        let (sealer, layout) = (Sealer(bindings: bindings, table: table, key: key), binding.layout)
        let former = former.flatMap { Row($0) }
        var (row, replaced) = (row, [ReplacedValue]())
        for part in sealed { try sealer.seal(part, layout, into: &row, over: former, &replaced) }
        try content?.seal(by: sealer, layout, into: &row, over: former, &replaced)
        return SealedRow(bytes: try row.bytes(of: layout), replaced: replaced)
    }
}
