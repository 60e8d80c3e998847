package import BullaMemory

/// What a property can hold.
///
/// Every ``Storable`` type can be held; so can what has properties of its own (``Embedded``), a
/// ``Link``, one of these or none, a list, a set, and a dictionary whose keys are strings; but a
/// dictionary of links cannot be an object's, since no index would find it by them.
public protocol PropertyValue: Sendable {
    /// What kind of value it is, and how many there are.
    static var propertyType: PropertyType { get }

    /// Appends its bytes; `false` where it is nil.
    func write(to bytes: inout ValueBytes) throws(ObjectError) -> Bool

    /// The value that bytes stand for; `nil` bytes are nil.
    init(from bytes: borrowing PropertyBytes) throws(ObjectError)
}

/// What a property can hold once: an element of a list, too.
public protocol SingleValue: PropertyValue {
    /// What kind of value it is.
    static var kind: PropertyType.Kind { get }
}

extension SingleValue {
    /// One of the kind.
    public static var propertyType: PropertyType { PropertyType(kind) }
}

/// The bytes of a property's value, in the making.
public struct ValueBytes: Sendable {
    package var bytes: [UInt8] = []
    package let bindings: ObjectBindings

    package init(_ bindings: ObjectBindings) { self.bindings = bindings }
}

/// The object that a value lies in.
struct ObjectOwner {
    let table: ObjectTable
    let key: ByteView
    /// Whether the value lies in what the object has sealed in one blob.
    let isContent: Bool
}

/// The bytes of a property's value, and whose they are.
public struct PropertyBytes: ~Copyable {
    package let value: ByteView?
    package let bindings: ObjectBindings
    package let layout: ObjectLayout
    package let number: Int
    /// In how many embedded values it lies.
    package let depth: Int
    /// The object whose property it is; none within an embedded value.
    var owner: ObjectOwner?

    /// An element of the value, which is many.
    package func element(_ value: ByteView) -> PropertyBytes {
        PropertyBytes(
            value: value, bindings: bindings, layout: layout, number: number, depth: depth)
    }

    /// The bytes of what cannot be nil.
    package func present() throws(ObjectError) -> ByteView {
        guard let value else { throw layout.damaged(layout.name(of: number)) }
        return value
    }

    /// What is thrown where the bytes are no value of the property's type.
    package func damaged() -> ObjectError { layout.damaged(layout.name(of: number)) }

    /// What is thrown where they are one that this program does not know.
    package func unknown() -> ObjectError {
        ObjectError(
            .unknownValue,
            "read \(layout.name).\(layout.name(of: number)): this program does not know the value")
    }

    /// Lends the elements of what is many.
    package func forEachElement(
        _ body: (borrowing PropertyBytes) throws(ObjectError) -> Void
    ) throws(ObjectError) {
        guard let value else { return }
        var elements = ElementReader(value)
        while let element = elements.next() { try body(self.element(element)) }
        guard !elements.isDamaged else { throw damaged() }
    }
}
