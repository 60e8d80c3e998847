/// The fields that every record type has implicitly.
///
/// A schema text need not name such a field, unless it gives the field an index. Nobody can set
/// these fields in a record.
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

    /// Whether a name begins with an underscore, so that users cannot choose it.
    package static func isReserved(_ name: String) -> Bool {
        name.utf8.first == UInt8(ascii: "_")
    }
}

/// The record types whose names the system defines.
package enum SystemType {
    /// The type of a share record.
    package static let share = "cloudkit.share"

    /// Those fields of a share record whose names are defined by the system, not by a user.
    package static let shareFields: [String: FieldShape] = [
        "cloudkit.thumbnailImageData": FieldShape(FieldKind(.bytes)),
        "cloudkit.title": FieldShape(FieldKind(.string)),
        "cloudkit.type": FieldShape(FieldKind(.string)),
    ]
}
