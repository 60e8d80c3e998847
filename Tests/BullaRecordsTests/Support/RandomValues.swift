import BullaRecords
import BullaTestSupport

extension TestRandom {
    /// A value of any kind.
    mutating func value() -> RecordValue {
        let kind = pick(ValueKind.allCases)
        guard isOne(in: 3) else { return value(of: kind) }
        return .list(kind, (0..<below(5)).map { _ in value(of: kind) })
    }

    /// A single value of a kind.
    mutating func value(of kind: ValueKind) -> RecordValue {
        switch kind {
        case .string: .string(text())
        case .int64: .int64(Int64(bitPattern: next()))
        case .double: .double(Double(Int64(bitPattern: next())) / 1_000)
        case .timestamp: .timestamp(Int64(bitPattern: next()))
        case .bytes: .bytes(bytes(below(40)))
        case .location: .location(location())
        case .reference: .reference(RecordReference(record(), action: pick([.none, .deleteSelf])))
        case .asset:
            .asset(
                AssetDescriptor(
                    identifier(), byteCount: next(), chunkCount: UInt32(below(1_000)),
                    key: uniqueBytes(32), digest: uniqueBytes(32)))
        }
    }

    mutating func text() -> String {
        String((0..<below(20)).map { _ in pick(Array("abc\u{e4}\u{1F600} z")) })
    }

    mutating func location() -> Location {
        var location = Location(latitude: Double(below(90)), longitude: Double(below(180)))
        if isOne(in: 2) { location.altitude = Double(below(4_000)) }
        if isOne(in: 2) { location.speed = Double(below(100)) }
        if isOne(in: 2) { location.timestamp = Int64(below(1 << 40)) }
        return location
    }

    mutating func record() -> RecordIdentifier {
        let owner = isOne(in: 2) ? AccountIdentifier(identifier()) : nil
        return RecordIdentifier(text(), in: ZoneIdentifier(text(), owner: owner))
    }

    mutating func identifier() -> RandomIdentifier {
        guard let identifier = RandomIdentifier(bytes: uniqueBytes(16)) else {
            preconditionFailure("there are 16 bytes")
        }
        return identifier
    }
}
