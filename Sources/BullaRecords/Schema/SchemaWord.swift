/// The keywords of the schema language, in upper or lower case.
enum SchemaWord: String, CaseIterable {
    case define, schema, create, role, record, type
    case grant, to, read, write
    case encrypted, list, number, preferred, `as`
    case queryable, sortable, searchable
    case string, int64, double, timestamp, bytes, location, reference, asset

    init?(_ text: String) {
        guard text.utf8.count <= Self.longestByteCount else { return nil }
        self.init(rawValue: text.lowercased())
    }

    private static let longestByteCount = "searchable".utf8.count

    var name: String { rawValue.uppercased() }

    /// Whether a name with this spelling must be quoted.
    var isReserved: Bool {
        switch self {
        case .grant, .preferred, .queryable, .sortable, .searchable: true
        default: false
        }
    }

    /// The kind of value that the keyword stands for.
    var kind: ValueKind? {
        switch self {
        case .string: .string
        case .int64: .int64
        case .double: .double
        case .timestamp: .timestamp
        case .bytes: .bytes
        case .location: .location
        case .reference: .reference
        case .asset: .asset
        default: nil
        }
    }

    var index: FieldIndexes? {
        switch self {
        case .queryable: .queryable
        case .sortable: .sortable
        case .searchable: .searchable
        default: nil
        }
    }

    var privilege: Privileges? {
        switch self {
        case .read: .read
        case .create: .create
        case .write: .write
        default: nil
        }
    }
}
