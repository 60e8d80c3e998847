package import BullaMemory

/// A value as bytes, in the form that records, grants and receipts contain.
///
///     bytes  field
///         1  the kind's tag
///         n  the value; for a list, a count of 32 bits, then its values
///
///     string, bytes        a count of 32 bits, then as many bytes
///     int64, timestamp     8
///     double               8, its bits
///     location             16: latitude, longitude; 1: which optional numbers follow; 8 each
///     reference            1: action; record name, zone name as string; owner 1 + 16
///     asset                16: identifier; 8: byte count; 4: chunks; 32: key; 32: digest
///
/// Numbers are little-endian. Each value has exactly one encoding, and nothing else decodes to that
/// value.
package enum ValueCoding {
    package static func append(_ value: RecordValue, to bytes: inout [UInt8]) {
        bytes.append(value.kind.tag)
        guard case .list(_, let elements) = value else { return appendOne(value, to: &bytes) }
        bytes.append(number: UInt32(elements.count))
        for element in elements { appendOne(element, to: &bytes) }
    }

    package static func bytes(_ value: RecordValue) -> [UInt8] {
        var bytes: [UInt8] = []
        append(value, to: &bytes)
        return bytes
    }

    private static func appendOne(_ value: RecordValue, to bytes: inout [UInt8]) {
        switch value {
        case .string(let text): bytes.append(text: text)
        case .int64(let number), .timestamp(let number): bytes.append(number: number)
        case .double(let number): bytes.append(double: number)
        case .bytes(let data): bytes.append(counted: data)
        case .location(let location): append(location, to: &bytes)
        case .reference(let reference): append(reference, to: &bytes)
        case .asset(let asset):
            bytes += asset.asset.bytes
            bytes.append(number: asset.byteCount)
            bytes.append(number: asset.chunkCount)
            bytes += asset.key + asset.digest
        case .list: preconditionFailure("a list holds no lists")
        }
    }

    private static func append(_ location: Location, to bytes: inout [UInt8]) {
        bytes.append(double: location.latitude)
        bytes.append(double: location.longitude)
        let others = location.others
        bytes.append(others.enumerated().reduce(0) { $1.element == nil ? $0 : $0 | 1 << $1.offset })
        for case let bits? in others { bytes.append(number: bits) }
    }

    private static func append(_ reference: RecordReference, to bytes: inout [UInt8]) {
        bytes.append(reference.action.rawValue)
        append(reference.record, to: &bytes)
    }

    package static func append(_ record: RecordIdentifier, to bytes: inout [UInt8]) {
        bytes.append(text: record.name)
        bytes.append(text: record.zone.name)
        bytes.append(record.zone.owner == nil ? 0 : 1)
        if let owner = record.zone.owner { bytes += owner.identifier.bytes }
    }
}

extension ValueCoding {
    /// Decodes all of the bytes as one value; `nil` if they are not exactly one.
    package static func value(_ view: ByteView) -> RecordValue? {
        var cursor = ByteCursor(view)
        guard let value = next(&cursor), cursor.isAtEnd else { return nil }
        return value
    }

    /// The next value; `nil` if the bytes do not encode one.
    package static func next(_ cursor: inout ByteCursor) -> RecordValue? {
        guard let kind = cursor.next(UInt8.self).flatMap({ FieldKind(tag: $0) }) else { return nil }
        guard kind.isList else { return nextOne(kind.element, &cursor) }
        // Each element takes at least one byte, so a count that exceeds the number of bytes left
        // is wrong.
        guard let count = cursor.next(UInt32.self), Int(count) <= cursor.leftByteCount else {
            return nil
        }
        var elements: [RecordValue] = []
        for _ in 0..<count {
            guard let element = nextOne(kind.element, &cursor) else { return nil }
            elements.append(element)
        }
        return .list(kind.element, elements)
    }

    private static func nextOne(_ kind: ValueKind, _ cursor: inout ByteCursor) -> RecordValue? {
        switch kind {
        case .string: cursor.nextText().map { .string($0) }
        case .int64: cursor.next(Int64.self).map { .int64($0) }
        case .double: cursor.nextDouble().map { .double($0) }
        case .timestamp: cursor.next(Int64.self).map { .timestamp($0) }
        case .bytes: cursor.nextCounted().map { .bytes($0.copied()) }
        case .location: location(&cursor).map { .location($0) }
        case .reference: reference(&cursor).map { .reference($0) }
        case .asset: asset(&cursor).map { .asset($0) }
        }
    }

    private static func location(_ cursor: inout ByteCursor) -> Location? {
        guard let latitude = cursor.nextDouble(), let longitude = cursor.nextDouble(),
            let mask = cursor.next(UInt8.self), mask < 1 << Location.otherCount
        else { return nil }
        var others: [UInt64?] = []
        for index in 0..<Location.otherCount {
            guard mask & 1 << index != 0 else {
                others.append(nil)
                continue
            }
            guard let bits = cursor.next(UInt64.self) else { return nil }
            others.append(bits)
        }
        var location = Location(latitude: latitude, longitude: longitude)
        location.others = others
        return location
    }

    private static func reference(_ cursor: inout ByteCursor) -> RecordReference? {
        let byte = cursor.next(UInt8.self)
        guard let action = byte.flatMap({ RecordReference.Action(rawValue: $0) }),
            let record = record(&cursor)
        else { return nil }
        return RecordReference(record, action: action)
    }

    package static func record(_ cursor: inout ByteCursor) -> RecordIdentifier? {
        guard let name = cursor.nextText(), let zone = cursor.nextText(),
            let hasOwner = cursor.next(UInt8.self), hasOwner <= 1
        else { return nil }
        guard hasOwner == 1 else {
            return RecordIdentifier(name, in: ZoneIdentifier(zone, owner: nil))
        }
        return cursor.nextIdentifier().map {
            RecordIdentifier(name, in: ZoneIdentifier(zone, owner: AccountIdentifier($0)))
        }
    }

    private static func asset(_ cursor: inout ByteCursor) -> AssetDescriptor? {
        guard let asset = cursor.nextIdentifier(), let byteCount = cursor.next(UInt64.self),
            let chunkCount = cursor.next(UInt32.self),
            let key = cursor.nextView(AssetDescriptor.keyByteCount),
            let digest = cursor.nextView(AssetDescriptor.digestByteCount)
        else { return nil }
        return AssetDescriptor(
            asset, byteCount: byteCount, chunkCount: chunkCount, key: key.copied(),
            digest: digest.copied())
    }
}

extension Location {
    /// How many numbers are optional: all but latitude and longitude.
    fileprivate static let otherCount = 6

    /// The bits of the optional numbers, in the order of the encoding.
    fileprivate var others: [UInt64?] {
        get {
            [altitude, horizontalAccuracy, verticalAccuracy, course, speed].map { $0?.bitPattern }
                + [timestamp.map { UInt64(bitPattern: $0) }]
        }
        set {
            let numbers = newValue.map { $0.map { Double(bitPattern: $0) } }
            (altitude, horizontalAccuracy, verticalAccuracy) = (numbers[0], numbers[1], numbers[2])
            (course, speed) = (numbers[3], numbers[4])
            timestamp = newValue[5].map { Int64(bitPattern: $0) }
        }
    }
}
