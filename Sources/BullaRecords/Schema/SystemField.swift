/// The fields that every record type has implicitly.
///
/// A schema text names them to give them an index. Nobody can set them in a record.
package enum SystemField: String, CaseIterable, Sendable {
    case createTime = "___createTime"
    case createdBy = "___createdBy"
    /// The change tag.
    case etag = "___etag"
    case modTime = "___modTime"
    case modifiedBy = "___modifiedBy"
    case recordID = "___recordID"

    package var name: String { rawValue }

    package var shape: FieldShape {
        switch self {
        case .createTime, .modTime: FieldShape(FieldKind(.timestamp))
        case .createdBy, .modifiedBy, .recordID: FieldShape(FieldKind(.reference))
        case .etag: FieldShape(FieldKind(.string))
        }
    }

    /// All system fields by name, without indexes.
    package static let fields = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0.name, SchemaField($0.shape)) })

    /// Whether users cannot choose the name, because it begins with an underscore.
    package static func isReserved(_ name: String) -> Bool {
        name.utf8.first == UInt8(ascii: "_")
    }
}

/// The record types whose names the system defines.
package enum SystemType {
    /// The type of a share record.
    package static let share = "cloudkit.share"

    /// The fields of a share record whose names the system, and not a user, defines.
    package static let shareFields: [String: FieldShape] = [
        "cloudkit.thumbnailImageData": FieldShape(FieldKind(.bytes)),
        "cloudkit.title": FieldShape(FieldKind(.string)),
        "cloudkit.type": FieldShape(FieldKind(.string)),
    ]
}
