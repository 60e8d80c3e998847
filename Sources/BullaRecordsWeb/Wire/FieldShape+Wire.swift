package import BullaRecords

extension FieldShape {
    /// The shape for a name in requests; `nil` if no shape has this name.
    ///
    /// A name such as `ENCRYPTED_STRING` means an encrypted field. A request can also send `STRING`
    /// together with `isEncrypted`.
    package init?(wireName: String) {
        guard let shape = Self.shapes[wireName] else { return nil }
        self = shape
    }

    private static let shapes: [String: FieldShape] = {
        var shapes: [String: FieldShape] = [:]
        for element in ValueKind.allCases {
            for isList in [false, true] {
                for isEncrypted in element.isSealable ? [false, true] : [false] {
                    let kind = FieldKind(element, isList: isList)
                    let shape = FieldShape(kind, isEncrypted: isEncrypted)
                    shapes[shape.wireName] = shape
                }
            }
        }
        return shapes
    }()
}

extension FieldKind {
    /// The spelling in answers, which does not say whether the field is encrypted.
    var wireName: String { Self.wireNames[Int(tag)] }

    private static let wireNames: [String] = (UInt8.min...UInt8.max).map {
        FieldKind(tag: $0).map { FieldShape($0).wireName } ?? ""
    }
}

extension SystemField {
    /// The field that a request names, either as the schema does or as the web service does.
    init?(wireName: String) {
        guard let field = SystemField(rawValue: wireName) ?? Self.wireNames[wireName] else {
            return nil
        }
        self = field
    }

    private static let wireNames: [String: SystemField] = [
        "recordName": .recordID,
        "createdTimestamp": .createTime,
        "createdUserRecordName": .createdBy,
        "modifiedTimestamp": .modTime,
        "modifiedUserRecordName": .modifiedBy,
        "recordChangeTag": .etag,
    ]
}
