internal import BullaMemory

/// A type whose values are stored inside of objects, with properties of their own.
public protocol Embedded: SingleValue {
    /// What conditions name its properties by.
    associatedtype Columns: Sendable

    /// Its properties, as conditions name them.
    static var columns: Columns { get }
    /// The name that a store knows it by.
    static var embeddedName: String { get }
    /// Its name and properties.
    static var embeddedDefinition: EmbeddedDefinition { get }

    /// Reads the properties, by their ordinals.
    init(from stored: borrowing StoredObject) throws(ObjectError)

    /// Writes the properties, each once.
    func write(to draft: inout ObjectDraft) throws(ObjectError)
}

extension Embedded {
    /// Values with properties of their own.
    public static var kind: PropertyType.Kind { .embedded { Self.embeddedDefinition } }

    /// Appends the bytes of a row of its own.
    public func write(to bytes: inout ValueBytes) throws(ObjectError) -> Bool {
        let binding = try bytes.bindings.embedded(Self.embeddedName)
        var draft = ObjectDraft(binding, bytes.bindings)
        try write(to: &draft)
        bytes.bytes += try draft.finish().row
        return true
    }

    /// The value whose row the bytes are.
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
