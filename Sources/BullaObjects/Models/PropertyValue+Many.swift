internal import BullaMemory

/// One value or none.
extension Optional: PropertyValue where Wrapped: SingleValue {
    /// An optional value of the wrapped kind.
    public static var propertyType: PropertyType { PropertyType(Wrapped.kind, .optional) }

    /// Appends the bytes of the value, if there is one.
    public func write(to bytes: inout ValueBytes) throws(ObjectError) -> Bool {
        guard let self else { return false }
        return try self.write(to: &bytes)
    }

    /// Decodes the value; nil if there are no bytes.
    public init(from bytes: borrowing PropertyBytes) throws(ObjectError) {
        if bytes.value == nil { self = nil } else { self = try Wrapped(from: bytes) }
    }
}

/// Any number of values, in order.
extension Array: PropertyValue where Element: SingleValue {
    /// A list of values of the element's kind.
    public static var propertyType: PropertyType { PropertyType(Element.kind, .list) }

    /// Appends the elements, in order.
    public func write(to bytes: inout ValueBytes) throws(ObjectError) -> Bool {
        var list = ElementList()
        for element in self { try element.bytes(bytes.bindings).withView { list.append($0) } }
        bytes.bytes += list.bytes
        return true
    }

    /// Decodes the elements, in order.
    public init(from bytes: borrowing PropertyBytes) throws(ObjectError) {
        self = []
        try bytes.forEachElement { element throws(ObjectError) in
            append(try Element(from: element))
        }
    }
}

/// Any number of distinct values.
extension Set: PropertyValue where Element: SingleValue {
    /// A set of values of the element's kind.
    public static var propertyType: PropertyType { PropertyType(Element.kind, .set) }

    /// Appends the elements, sorted by their bytes; elements with equal bytes become one.
    public func write(to bytes: inout ValueBytes) throws(ObjectError) -> Bool {
        var elements: Set<[UInt8]> = []
        for element in self { elements.insert(try element.bytes(bytes.bindings)) }
        var list = ElementList()
        for element in elements.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            element.withView { list.append($0) }
        }
        bytes.bytes += list.bytes
        return true
    }

    /// Decodes the elements.
    public init(from bytes: borrowing PropertyBytes) throws(ObjectError) {
        self = []
        try bytes.forEachElement { element throws(ObjectError) in
            insert(try Element(from: element))
        }
    }
}

/// Any number of values, each with a string as its key.
extension Dictionary: PropertyValue where Key == String, Value: SingleValue {
    /// A dictionary whose values have the kind of `Value`.
    public static var propertyType: PropertyType { PropertyType(Value.kind, .dictionary) }

    /// Appends the entries, sorted by the bytes of their keys.
    public func write(to bytes: inout ValueBytes) throws(ObjectError) -> Bool {
        var list = ElementList()
        let entries = sorted { Array<UInt8>($0.key.utf8).lexicographicallyPrecedes($1.key.utf8) }
        for (key, value) in entries {
            list.append(.string(key))
            try value.bytes(bytes.bindings).withView { list.append($0) }
        }
        bytes.bytes += list.bytes
        return true
    }

    /// Decodes the entries.
    public init(from bytes: borrowing PropertyBytes) throws(ObjectError) {
        self = [:]
        var key: String?
        try bytes.forEachElement { element throws(ObjectError) in
            if let name = key {
                self[name] = try Value(from: element)
                key = nil
            } else {
                key = try String(from: element)
            }
        }
        guard key == nil else { throw bytes.damaged() }
    }
}

extension SingleValue {
    /// The value's bytes.
    package func bytes(_ bindings: _ObjectBindings) throws(ObjectError) -> [UInt8] {
        var bytes = ValueBytes(bindings)
        _ = try write(to: &bytes)
        return bytes.bytes
    }
}

/// A value that is stored as its scalar.
extension Storable {
    /// The kind of a value that is stored as a scalar.
    public static var kind: PropertyType.Kind { .scalar(scalarType) }

    /// Appends the bytes of its scalar.
    public func write(to bytes: inout ValueBytes) throws(ObjectError) -> Bool {
        scalar.append(to: &bytes.bytes)
        return true
    }

    /// Decodes a value from the bytes of its scalar.
    public init(from bytes: borrowing PropertyBytes) throws(ObjectError) {
        guard let scalar = Scalar(try bytes.present(), Self.scalarType) else {
            throw bytes.damaged()
        }
        guard let value = Self(scalar: scalar) else { throw bytes.unknown() }
        self = value
    }
}
