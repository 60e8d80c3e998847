internal import Foundation

extension NSString: KeptValue {
    static var elementKind: ValueKind? { .string }
    func kept() throws(ValueRefusal) -> RecordValue { .string(self as String) }
}

extension NSNumber: KeptValue {
    static var elementKind: ValueKind? { .int64 }

    func kept() throws(ValueRefusal) -> RecordValue {
        // The type from which the number was made: `f` is a float, `d` a double, and the rest are
        // integers.
        switch typeLetter {
        case UInt8(ascii: "d"), UInt8(ascii: "f"): return .double(doubleValue)
        case UInt8(ascii: "Q"): return try uint64Value.kept()
        default: return .int64(int64Value)
        }
    }
}

extension NSDate: KeptValue {
    static var elementKind: ValueKind? { .timestamp }
    func kept() throws(ValueRefusal) -> RecordValue { try (self as Date).kept() }
}

extension NSData: KeptValue {
    static var elementKind: ValueKind? { .bytes }
    func kept() throws(ValueRefusal) -> RecordValue { try (self as Data).kept() }
}

extension NSArray: KeptValue {
    static var elementKind: ValueKind? { nil }
    func kept() throws(ValueRefusal) -> RecordValue { try .list(map { $0 }, of: nil) }
}

extension RecordValue {
    /// The value in the form that its reader gets: numbers as `NSNumber`, which converts to any
    /// number type.
    ///
    /// - Parameters:
    ///   - home: the owner of the database that the reader sees.
    ///   - shelf: provides assets; `nil` if there can be none.
    func given(
        home: AccountIdentifier?, _ shelf: AssetShelf?
    ) -> (any CKRecordValueProtocol)? {
        switch self {
        case .string(let text): text
        case .int64(let number): NSNumber(value: number)
        case .double(let number): NSNumber(value: number)
        case .timestamp(let time): Date(milliseconds: time)
        case .bytes(let bytes): Data(bytes)
        case .location(let location): CKLocation(location)
        case .reference(let reference):
            CKReference(
                recordID: reference.record.recordID(home: home), action: .init(reference.action))
        case .asset(let asset): shelf?.asset(asset)
        case .list(let kind, let elements):
            Self.given(elements.map { $0.given(home: home, shelf) }, kind)
        }
    }

    private static func given(
        _ values: [(any CKRecordValueProtocol)?], _ kind: ValueKind
    ) -> any CKRecordValueProtocol {
        switch kind {
        case .string: values.compactMap { $0 as? String }
        case .int64, .double: values.compactMap { $0 as? NSNumber }
        case .timestamp: values.compactMap { $0 as? Date }
        case .bytes: values.compactMap { $0 as? Data }
        case .location: values.compactMap { $0 as? CKLocation }
        case .reference: values.compactMap { $0 as? CKReference }
        case .asset: values.compactMap { $0 as? CKAsset }
        }
    }

    /// The value as it is stored: references without an owner get the owner of the database.
    func resolved(home: AccountIdentifier?) -> RecordValue {
        switch self {
        case .reference(let reference) where reference.record.zone.owner == nil:
            .reference(
                RecordReference(reference.record.resolved(home: home), action: reference.action))
        case .list(.reference, let elements):
            .list(.reference, elements.map { $0.resolved(home: home) })
        default: self
        }
    }
}

extension RecordIdentifier {
    /// The identifier with the owner of its zone; if it names none, the owner is `home`.
    func resolved(home: AccountIdentifier?) -> RecordIdentifier {
        RecordIdentifier(name, in: ZoneIdentifier(zone.name, owner: zone.owner ?? home))
    }
}
