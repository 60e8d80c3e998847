internal import BullaMemory

/// A reference to an object of another model, or of the same: its key.
///
/// It says nothing of whether the object is there.
public struct Link<Target: Model>: SingleValue, Hashable {
    /// The key of what it refers to.
    public let key: Target.Key

    /// A reference to the object of a key.
    public init(key: Target.Key) { self.key = key }

    /// A reference to the object of a key that has one part.
    public init<Part: Storable & Hashable>(key: Part) where Target.Key == ModelKey<Part> {
        self.key = ModelKey(key)
    }

    /// A reference to an object.
    public init(_ object: Target) { key = object.modelKey }

    /// The key of an object of the target, which is named here and not looked at.
    public static var kind: PropertyType.Kind { .link(Target.modelName) }

    /// Appends the key's bytes.
    public func write(to bytes: inout ValueBytes) throws(ObjectError) -> Bool {
        bytes.bytes += orderedKey.bytes
        return true
    }

    package var orderedKey: OrderedKey { OrderedKey(key.parts) }

    /// The link whose key the bytes are.
    public init(from bytes: borrowing PropertyBytes) throws(ObjectError) {
        let model = try bytes.bindings.model(Target.modelName)
        guard let parts = model.table?.model.parts(ofKey: try bytes.present()),
            let key = Target.Key(parts: parts)
        else { throw bytes.damaged() }
        self.key = key
    }
}
