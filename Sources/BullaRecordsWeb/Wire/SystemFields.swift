/// The fields that every record has, by the names of the schema and of requests.
package enum SystemFields {
    package static let recordID = "___recordID"
    package static let createdTime = "___createTime"
    package static let createdBy = "___createdBy"
    package static let modifiedTime = "___modTime"
    package static let modifiedBy = "___modifiedBy"
    package static let changeTag = "___etag"

    private static let names: [String: String] = [
        "recordName": recordID,
        "createdTimestamp": createdTime,
        "createdUserRecordName": createdBy,
        "modifiedTimestamp": modifiedTime,
        "modifiedUserRecordName": modifiedBy,
        "recordChangeTag": changeTag,
    ]

    private static let all = Set(names.values)

    /// The schema's name of a system field, whichever of the two it was called by; `nil` where it
    /// is none.
    static func name(of name: String) -> String? { all.contains(name) ? name : names[name] }
}
