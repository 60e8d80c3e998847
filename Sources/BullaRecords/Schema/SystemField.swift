/// The fields that every record type has without saying so.
///
/// A schema text names them to give them an index. Nobody sets them in a record.
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

    /// All of them by name, without an index.
    package static let fields = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0.name, SchemaField($0.shape)) })

    /// Whether it is a name that users may not give: it begins with an underscore.
    package static func isReserved(_ name: String) -> Bool {
        name.utf8.first == UInt8(ascii: "_")
    }
}

/// The record types that the service itself makes records of.
package enum SystemType {
    /// The type of the record that a share is.
    package static let share = "cloudkit.share"

    /// The fields of a share that have the name of no user's field.
    package static let shareFields: [String: FieldShape] = [
        "cloudkit.thumbnailImageData": FieldShape(FieldKind(.bytes)),
        "cloudkit.title": FieldShape(FieldKind(.string)),
        "cloudkit.type": FieldShape(FieldKind(.string)),
    ]
}
