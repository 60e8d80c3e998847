import BullaRecords
import BullaRecordsWeb
import BullaTestSupport

/// What most tests of the web layer need.
enum WebSupport {
    static let account = AccountIdentifier(identifier(1))
    static let stranger = AccountIdentifier(identifier(2))
    static let zone = ZoneIdentifier("myZone", owner: account)

    /// An identifier that repeats one byte sixteen times.
    static func identifier(_ digit: UInt8) -> RandomIdentifier {
        guard let identifier = RandomIdentifier(bytes: [UInt8](repeating: digit, count: 16)) else {
            preconditionFailure("there are 16 bytes")
        }
        return identifier
    }

    /// A context with a schema for notes, in which the receipt of an upload is the hexadecimal text
    /// of the asset.
    static func context(
        _ scope: DatabaseScope = .private, limits: WireLimits = WireLimits()
    ) -> WireContext {
        WireContext(
            scope: scope, account: account, limits: limits,
            definition: { type, field in type == "Note" ? notes[field] : nil },
            asset: { asset, _ throws(RecordError) in try find(asset) })
    }

    private static let notes: [String: FieldShape] = [
        "secret": FieldShape(FieldKind(.string), isEncrypted: true),
        "secrets": FieldShape(FieldKind(.double, isList: true), isEncrypted: true),
        "blob": FieldShape(FieldKind(.bytes), isEncrypted: true),
        "amount": FieldShape(FieldKind(.double)),
        "due": FieldShape(FieldKind(.timestamp)),
        "data": FieldShape(FieldKind(.bytes)),
        "tags": FieldShape(FieldKind(.string, isList: true)),
    ]

    private static func find(_ asset: WireAsset) throws(RecordError) -> AssetDescriptor {
        guard let text = asset.receipt, let identifier = RandomIdentifier(text: text),
            let size = asset.size, let checksum = asset.fileChecksum
        else { throw RecordError(.assetNotFound, "find the upload of an asset: there is none") }
        guard checksum == Self.descriptor(identifier, 0).digest.fileChecksum else {
            throw RecordError(.assetNotFound, "find the upload of an asset: it is another one")
        }
        return descriptor(identifier, UInt64(size))
    }

    /// The descriptor of an asset, with the same key and digest for all files of the tests.
    static func descriptor(_ asset: RandomIdentifier, _ byteCount: UInt64) -> AssetDescriptor {
        AssetDescriptor(
            asset, byteCount: byteCount, chunkCount: 1,
            key: [UInt8](repeating: 1, count: AssetDescriptor.keyByteCount),
            digest: [UInt8](repeating: 0x61, count: AssetDescriptor.digestByteCount))
    }

    /// The form of answers, with dictionaries of assets that `find` understands.
    static func form(numbersAsStrings: Bool = false) -> AnswerForm {
        AnswerForm(numbersAsStrings: numbersAsStrings) { asset, _ in
            var wire = WireAsset()
            wire.receipt = asset.asset.text
            wire.size = Int64(asset.byteCount)
            wire.fileChecksum = asset.digest.fileChecksum
            return wire
        }
    }

    static func json(_ text: String) throws(RecordError) -> JSONValue {
        try JSONValue.request(Array(text.utf8))
    }
}

/// Joins the parts of a text, because the compiler is slow with long sums of texts.
func joined(_ parts: String...) -> String { parts.joined() }

extension String {
    /// How many bytes precede the end of a part's first occurrence.
    func place(behind part: String) -> Int {
        firstRange(of: part).map { self[..<$0.upperBound].utf8.count } ?? -1
    }
}

extension [UInt8] {
    var text: String { String(decoding: self, as: UTF8.self) }
}

extension TestRandom {
    /// A value of any kind that JSON can represent.
    mutating func wireValue() -> RecordValue {
        let kind = pick(ValueKind.allCases)
        guard isOne(in: 2) else { return wireValue(of: kind) }
        return .list(kind, (0..<below(5)).map { _ in wireValue(of: kind) })
    }

    mutating func wireValue(of kind: ValueKind) -> RecordValue {
        switch kind {
        case .string: .string(wireText())
        case .int64: .int64(Int64(bitPattern: next()) >> Int64(below(64)))
        case .double: .double(wireDouble())
        case .timestamp: .timestamp(Int64(bitPattern: next()) >> Int64(below(64)))
        case .bytes: .bytes(bytes(below(200)))
        case .location: .location(wireLocation())
        case .reference:
            .reference(
                RecordReference(
                    RecordIdentifier(
                        wireText(),
                        in: ZoneIdentifier(
                            wireText(), owner: pick([WebSupport.account, WebSupport.stranger]))),
                    action: pick(RecordReference.Action.allCases)))
        case .asset:
            .asset(
                WebSupport.descriptor(
                    WebSupport.identifier(UInt8(below(256))), next() >> 1))
        }
    }

    private mutating func wireDouble() -> Double {
        let number = Double(bitPattern: next())
        return number.isFinite ? number : Double(below(1_000)) / 8
    }

    private mutating func wireText() -> String {
        String((0..<below(20)).map { _ in pick(Array("ab\u{e4}\u{1F600} \"\\\u{1}\n")) })
    }

    private mutating func wireLocation() -> Location {
        var location = Location(latitude: wireDouble(), longitude: wireDouble())
        if isOne(in: 2) { location.altitude = wireDouble() }
        if isOne(in: 2) { location.horizontalAccuracy = wireDouble() }
        if isOne(in: 2) { location.verticalAccuracy = wireDouble() }
        if isOne(in: 2) { location.course = wireDouble() }
        if isOne(in: 2) { location.speed = wireDouble() }
        if isOne(in: 2) { location.timestamp = Int64(bitPattern: next()) }
        return location
    }
}

extension [UInt8] {
    /// A digest as the tests' service writes it.
    fileprivate var fileChecksum: String { String(decoding: self, as: UTF8.self) }
}
