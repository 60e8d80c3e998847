internal import BullaMemory

/// A type whose values are stored inside objects, with properties of their own.
public protocol Embedded: SingleValue {
    /// The columns by which conditions name its properties.
    associatedtype Columns: Sendable

    /// The columns of its properties, for conditions.
    static var columns: Columns { get }
    /// The name by which a store knows it.
    static var embeddedName: String { get }
    /// Its name and properties.
    static var embeddedDefinition: EmbeddedDefinition { get }

    /// Reads the properties by their ordinals.
    init(from stored: borrowing StoredObject) throws(ObjectError)

    /// Writes each property once.
    func write(to draft: inout ObjectDraft) throws(ObjectError)
}

extension Embedded {
    /// The kind of an embedded type.
    public static var kind: PropertyType.Kind { .embedded { Self.embeddedDefinition } }

    /// Appends the bytes of the value's own row.
    public func write(to bytes: inout ValueBytes) throws(ObjectError) -> Bool {
        let binding = try bytes.bindings.embedded(Self.embeddedName)
        var draft = ObjectDraft(binding, bytes.bindings)
        try write(to: &draft)
        bytes.bytes += try draft.finish().row
        return true
    }

    /// Decodes a value from the bytes of its row.
    public init(from bytes: borrowing PropertyBytes) throws(ObjectError) {
        let binding = try bytes.bindings.embedded(Self.embeddedName)
        guard bytes.depth < ValueCoding.depthLimit, let row = Row(try bytes.present()),
            row.isInOrder
        else { throw bytes.damaged() }
        let object = ObjectBytes(key: emptyView, row: row)
        try self.init(
            from: StoredObject(
                object: object, binding: binding, bindings: bytes.bindings,
                depth: bytes.depth + 1))
    }
}
