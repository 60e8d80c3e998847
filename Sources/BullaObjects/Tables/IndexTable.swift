package import BullaMemory

/// An index, and how its entries are made from a row.
///
/// The key of an entry consists of the values by which the index sorts, each encoded as a key part,
/// followed by the object's key; an entry has no value. A list or a set has one entry for each
/// element, so an object whose list or set is empty has no entry.
///
/// The length of a tree's keys is limited. An object's key can use a quarter of the limit, so an
/// entry reserves a quarter for the key of its object, and another quarter for each link. Texts
/// share the rest: an entry truncates a text that is longer than its share, and the query compares
/// the whole text in the object.
package struct IndexTable: Sendable {
    package struct Part: Sendable {
        let property: Int
        /// The type of a scalar; for a link, the types of the target's key parts.
        let types: [ScalarType]
        let isLink: Bool
        /// Whether the part begins with a byte that says if the value is present.
        ///
        /// This is so for a property that can be nil, and for each single link.
        let isOptional: Bool
        /// Whether the property is a list or a set, with an entry for each element.
        let isMany: Bool
    }

    /// The maximum number of bytes that a part other than a text or a link can have.
    private static let partByteLimit = 32

    package let number: Int
    package let parts: [Part]
    package let isUnique: Bool
    /// Whether an object can have several entries.
    package let repeatsObjects: Bool
    /// The length, in bytes, at which an entry truncates a text.
    package let textByteLimit: Int

    package init(_ index: IndexSchema, of model: ModelSchema, in schema: DatabaseSchema) {
        (number, isUnique) = (index.number, index.isUnique)
        let parts: [Part] = index.properties.compactMap { number in
            guard let property = model.property(number) else { return nil }
            return Part(property, in: schema)
        }
        self.parts = parts
        repeatsObjects = parts.contains { $0.isMany }
        textByteLimit = max(Self.textByteLimit(parts, keyByteLimit: schema.keyByteLimit), 1)
    }

    /// How many bytes of an entry are left for each text; less than 1 if the parts do not all fit
    /// in an entry.
    ///
    /// If no part is a text, the result is 1 if they fit, and 0 if not.
    package static func textByteLimit(_ parts: [Part], keyByteLimit: Int) -> Int {
        let (textCount, linkCount) = (parts.count { $0.isText }, parts.count { $0.isLink })
        let others = partByteLimit * (parts.count - textCount - linkCount)
        let rest = keyByteLimit - (1 + linkCount) * (keyByteLimit / 4) - others - parts.count
        // A mark after each zero byte can double a text's length, and two bytes end the text.
        return textCount == 0 ? (rest < 0 ? 0 : 1) : rest / textCount / 2 - 2
    }

    /// Passes the keys of an object's entries to `body`, each without the object's key at its end.
    ///
    /// - Throws: what `body` throws; `damaged`.
    package func forEachPrefix(
        of object: ObjectBytes, _ layout: ObjectLayout,
        _ body: (OrderedKey) throws(ObjectError) -> Void
    ) throws(ObjectError) {
        guard !repeatsObjects else {
            return try extend(OrderedKey(), with: parts[...], object, layout, body)
        }
        var key = OrderedKey()
        for part in parts {
            try layout.withValue(part.property, of: object) { value in
                part.append(value, to: &key, cutAt: textByteLimit)
            }
        }
        try body(key)
    }

    private func extend(
        _ key: OrderedKey, with rest: ArraySlice<Part>, _ object: ObjectBytes,
        _ layout: ObjectLayout, _ body: (OrderedKey) throws(ObjectError) -> Void
    ) throws(ObjectError) {
        guard let part = rest.first else { return try body(key) }
        try layout.withValue(part.property, of: object) { value throws(ObjectError) in
            guard part.isMany else {
                let longer = part.appended(value, to: key, cutAt: textByteLimit)
                return try extend(longer, with: rest.dropFirst(), object, layout, body)
            }
            guard let value else { return }
            var elements = ElementReader(value)
            while let element = elements.next() {
                let longer = part.appended(element, to: key, cutAt: textByteLimit)
                try extend(longer, with: rest.dropFirst(), object, layout, body)
            }
            guard !elements.isDamaged else {
                throw ObjectError(.damaged, "read a list of \(layout.name): it is damaged")
            }
        }
    }
}

extension IndexTable.Part {
    package init(_ property: PropertySchema, in schema: DatabaseSchema) {
        self.property = property.number
        switch property.kind {
        case .scalar(let type): (types, isLink) = ([type], false)
        case .link(let target): (types, isLink) = (schema.model(target)?.keyTypes ?? [], true)
        case .embedded, .coded, .sealed, .secret, .content: (types, isLink) = ([], false)
        }
        isMany = property.isMany
        isOptional = !isMany && (property.multiplicity == .optional || isLink)
    }

    /// A part of a model's own key.
    package init(ofKey number: Int, _ type: ScalarType) {
        (property, types, isLink, isOptional, isMany) = (number, [type], false, false, false)
    }

    package var isText: Bool { !isLink && types.first?.isDelimited == false }

    /// Skips the part in a key; returns `false` if the key does not have it.
    package func skip(in reader: inout OrderedReader) -> Bool {
        if isOptional {
            guard let isPresent = reader.takePresence() else { return false }
            guard isPresent else { return true }
        }
        return types.allSatisfy { reader.skip($0) }
    }

    /// The key with one more part.
    package func appended(_ value: ByteView?, to key: OrderedKey, cutAt limit: Int) -> OrderedKey {
        var key = key
        append(value, to: &key, cutAt: limit)
        return key
    }

    fileprivate func append(_ value: ByteView?, to key: inout OrderedKey, cutAt limit: Int) {
        guard let value else { return key.appendMissing() }
        if isOptional { key.appendPresent() }
        guard !isLink, let type = types.first else {
            // A link's value is already encoded as a key.
            return key.append(value)
        }
        let isCut = isText && value.byteCount > limit
        key.append(isCut ? value.slice(0, limit) : value, type)
    }
}

extension IndexTable {
    /// The object's key in an entry's key, or `nil` if the bytes are not an entry.
    package func objectKey(of entry: ByteView) -> ByteView? {
        var reader = OrderedReader(entry)
        for part in parts where !part.skip(in: &reader) { return nil }
        return entry.slice(reader.offset, entry.byteCount - reader.offset)
    }

    /// Whether none of the values by which the index sorts is nil.
    package func isComplete(_ object: ObjectBytes, _ layout: ObjectLayout) throws(ObjectError)
        -> Bool
    {
        for part in parts {
            let isThere = try layout.withValue(part.property, of: object) {
                value throws(ObjectError) in
                value != nil
            }
            guard isThere else { return false }
        }
        return true
    }

    /// Whether two objects have the same values of the index's properties, with texts compared in
    /// full.
    package func isSame(
        _ one: ObjectBytes, _ other: ObjectBytes, _ layout: ObjectLayout
    ) throws(ObjectError) -> Bool {
        for part in parts where try !layout.isSame(part.property, one, other) { return false }
        return true
    }
}
