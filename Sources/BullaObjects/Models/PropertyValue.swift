package import BullaMemory

/// A type that can be used for a property.
///
/// These are the ``Storable`` and ``Embedded`` types, ``Link``, ``Coded`` and ``Sealed``, and
/// optionals, lists, sets and string-keyed dictionaries of them. But a property cannot be a
/// dictionary of links, because no index could find the objects that have those links.
public protocol PropertyValue: Sendable {
    /// The kind of the values, and how many of them a property has.
    static var propertyType: PropertyType { get }

    /// Appends the value's bytes; returns `false` if the value is nil.
    func write(to bytes: inout ValueBytes) throws(ObjectError) -> Bool

    /// Decodes a value; without bytes, the value is nil.
    init(from bytes: borrowing PropertyBytes) throws(ObjectError)
}

/// A type whose values can be stored singly in a property, or together in a list, set or
/// dictionary.
public protocol SingleValue: PropertyValue {
    /// The kind of the value.
    static var kind: PropertyType.Kind { get }
}

extension SingleValue {
    /// The type of a property with a single value of this kind.
    public static var propertyType: PropertyType { PropertyType(kind) }
}

/// The bytes of a property's value, while they are being written.
public struct ValueBytes: Sendable {
    package var bytes: [UInt8] = []
    package let bindings: _ObjectBindings

    package init(_ bindings: _ObjectBindings) { self.bindings = bindings }
}

/// The object that contains a value.
struct ObjectOwner {
    let table: ObjectTable
    let key: ByteView
    /// Whether the value is in the object's sealed blob.
    let isContent: Bool
}

/// The bytes of a property's value, and the property that they belong to.
public struct PropertyBytes: ~Copyable {
    package let value: ByteView?
    package let bindings: _ObjectBindings
    package let layout: ObjectLayout
    package let number: Int
    /// How many embedded values enclose the value.
    package let depth: Int
    /// The object that has the property; nil if the value is an element, or is inside an embedded
    /// value.
    var owner: ObjectOwner?

    /// One element of the value.
    package func element(_ value: ByteView) -> PropertyBytes {
        PropertyBytes(
            value: value, bindings: bindings, layout: layout, number: number, depth: depth)
    }

    /// The bytes of a value that cannot be nil.
    package func present() throws(ObjectError) -> ByteView {
        guard let value else { throw layout.damaged(layout.name(of: number)) }
        return value
    }

    /// The error for bytes that are not a value of the property's type.
    package func damaged() -> ObjectError { layout.damaged(layout.name(of: number)) }

    /// The error for a value that this program does not know.
    package func unknown() -> ObjectError {
        ObjectError(
            .unknownValue,
            "read \(layout.name).\(layout.name(of: number)): this program does not know the value")
    }

    /// Lends the elements of a list, a set or a dictionary.
    package func forEachElement(
        _ body: (borrowing PropertyBytes) throws(ObjectError) -> Void
    ) throws(ObjectError) {
        guard let value else { return }
        var elements = ElementReader(value)
        while let element = elements.next() { try body(self.element(element)) }
        guard !elements.isDamaged else { throw damaged() }
    }
}
