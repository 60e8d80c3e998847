internal import BullaMemory

/// A link to an object of any model, stored as the key of that object.
///
/// The object need not exist.
public struct Link<Target: Model>: SingleValue, Hashable {
    /// The key of the linked object.
    public let key: Target.Key

    /// A link to the object with this key.
    public init(key: Target.Key) { self.key = key }

    /// A link to the object whose key has only this part.
    public init<Part: Storable & Hashable>(key: Part) where Target.Key == ModelKey<Part> {
        self.key = ModelKey(key)
    }

    /// A link to this object.
    public init(_ object: Target) { key = object.modelKey }

    /// The kind of a link, which names only the target model.
    public static var kind: PropertyType.Kind { .link(Target.modelName) }

    /// Appends the key's bytes.
    public func write(to bytes: inout ValueBytes) throws(ObjectError) -> Bool {
        bytes.bytes += orderedKey.bytes
        return true
    }

    package var orderedKey: OrderedKey { OrderedKey(key.parts) }

    /// Decodes a link from the bytes of its key.
    public init(from bytes: borrowing PropertyBytes) throws(ObjectError) {
        let model = try bytes.bindings.model(Target.modelName)
        guard let parts = model.table?.model.parts(ofKey: try bytes.present()),
            let key = Target.Key(parts: parts)
        else { throw bytes.damaged() }
        self.key = key
    }
}
