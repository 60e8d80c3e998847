package import BullaMemory

/// An index: what of a row its entries are made of.
///
/// An entry's key is the values that the index sorts by, each as a part of a key, and then the
/// object's key; it has no value. A list or a set has an entry for each of its elements, and an
/// object without any has none.
///
/// Keys of trees have a limit. An object's key may have a quarter of it, so that this is left for
/// the entry's own and for each link in it. Texts share the rest: a longer one is cut, and what is
/// found is compared in the object.
package struct IndexTable: Sendable {
    package struct Part: Sendable {
        let property: Int
        /// The type of a scalar; of a link those of the key that it is.
        let types: [ScalarType]
        let isLink: Bool
        /// Whether it may be nil.
        let isOptional: Bool
        /// Whether there is an entry for each of its elements.
        let isMany: Bool
    }

    /// No part takes more bytes that is neither text nor a link.
    private static let partByteLimit = 32

    package let number: Int
    package let parts: [Part]
    package let isUnique: Bool
    /// Whether an object may have several entries.
    package let repeatsObjects: Bool
    /// Longer text is cut in an entry.
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

    /// What is left for each text of an entry, or less than 1 where there is no room.
    package static func textByteLimit(_ parts: [Part], keyByteLimit: Int) -> Int {
        let (textCount, linkCount) = (parts.count { $0.isText }, parts.count { $0.isLink })
        let others = partByteLimit * (parts.count - textCount - linkCount)
        let rest = keyByteLimit - (1 + linkCount) * (keyByteLimit / 4) - others - parts.count
        // Marks may make a text twice as long, and two bytes end it.
        return textCount == 0 ? (rest < 0 ? 0 : 1) : rest / textCount / 2 - 2
    }

    /// Hands on the keys of an object's entries, without the object's own.
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

    /// Passes over the part in a key; `false` where that has none such.
    package func skip(in reader: inout OrderedReader) -> Bool {
        if isOptional {
            guard let isPresent = reader.takePresence() else { return false }
            guard isPresent else { return true }
        }
        return types.allSatisfy { reader.skip($0) }
    }

    /// A key with one part more.
    package func appended(_ value: ByteView?, to key: OrderedKey, cutAt limit: Int) -> OrderedKey {
        var key = key
        append(value, to: &key, cutAt: limit)
        return key
    }

    fileprivate func append(_ value: ByteView?, to key: inout OrderedKey, cutAt limit: Int) {
        guard let value else { return key.appendMissing() }
        if isOptional { key.appendPresent() }
        guard !isLink, let type = types.first else {
            // A key already.
            return key.append(value)
        }
        let isCut = isText && value.byteCount > limit
        key.append(isCut ? value.slice(0, limit) : value, type)
    }
}

extension IndexTable {
    /// The object's key in an entry's, or `nil` where it is none.
    package func objectKey(of entry: ByteView) -> ByteView? {
        var reader = OrderedReader(entry)
        for part in parts where !part.skip(in: &reader) { return nil }
        return entry.slice(reader.offset, entry.byteCount - reader.offset)
    }

    /// Whether none of the values that it sorts by is nil.
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

    /// Whether two objects have the same values there, however long they are.
    package func isSame(
        _ one: ObjectBytes, _ other: ObjectBytes, _ layout: ObjectLayout
    ) throws(ObjectError) -> Bool {
        for part in parts where try !layout.isSame(part.property, one, other) { return false }
        return true
    }
}
