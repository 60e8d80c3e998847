/// A value of a record's field.
package indirect enum RecordValue: Hashable, Sendable {
    case string(String)
    case int64(Int64)
    case double(Double)
    /// Milliseconds since 1970, in UTC.
    case timestamp(Int64)
    case bytes([UInt8])
    case location(Location)
    case reference(RecordReference)
    case asset(AssetDescriptor)
    /// Values of one kind.
    ///
    /// An empty list has a kind, too, so that it cannot become a list of another kind.
    case list(ValueKind, [RecordValue])

    package var kind: FieldKind {
        switch self {
        case .string: FieldKind(.string)
        case .int64: FieldKind(.int64)
        case .double: FieldKind(.double)
        case .timestamp: FieldKind(.timestamp)
        case .bytes: FieldKind(.bytes)
        case .location: FieldKind(.location)
        case .reference: FieldKind(.reference)
        case .asset: FieldKind(.asset)
        case .list(let element, _): FieldKind(element, isList: true)
        }
    }

    /// The values of a list, or the value itself if it is not a list.
    package var elements: [RecordValue] {
        if case .list(_, let elements) = self { elements } else { [self] }
    }
}

/// A location on the globe.
package struct Location: Hashable, Sendable {
    /// Degrees, positive to the north.
    package var latitude: Double
    /// Degrees, positive to the east.
    package var longitude: Double
    /// Meters above sea level; `nil`, here and below, if it was not measured.
    package var altitude: Double?
    /// Meters.
    package var horizontalAccuracy: Double?
    package var verticalAccuracy: Double?
    /// Degrees clockwise from north.
    package var course: Double?
    /// Meters per second.
    package var speed: Double?
    /// Milliseconds since 1970, in UTC.
    package var timestamp: Int64?

    package init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// A reference to another record.
package struct RecordReference: Hashable, Sendable {
    /// What happens to the referring record when the target is deleted.
    package enum Action: UInt8, CaseIterable, Sendable {
        /// Nothing: the reference can be dangling.
        case none = 0
        /// It is deleted as well.
        case deleteSelf = 1
        /// The deletion is refused.
        case validate = 2
    }

    package let record: RecordIdentifier
    package let action: Action

    package init(_ record: RecordIdentifier, action: Action = .none) {
        self.record = record
        self.action = action
    }
}

/// A file that is stored outside its record, in chunks.
package struct AssetDescriptor: Hashable, Sendable {
    package static let keyByteCount = 32
    package static let digestByteCount = 32

    /// Identifies the chunks: 16 random bytes.
    package let asset: RandomIdentifier
    /// The size of the file in bytes.
    package let byteCount: UInt64
    /// The number of its chunks; at least one.
    package let chunkCount: UInt32
    /// The 32-byte key that wraps the keys of the chunks.
    package let key: [UInt8]
    /// The SHA-256 of the tags of all chunks.
    package let digest: [UInt8]

    package init(
        _ asset: RandomIdentifier, byteCount: UInt64, chunkCount: UInt32, key: [UInt8],
        digest: [UInt8]
    ) {
        precondition(key.count == Self.keyByteCount, "a key has 32 bytes")
        precondition(digest.count == Self.digestByteCount, "a digest has 32 bytes")
        (self.asset, self.byteCount, self.chunkCount) = (asset, byteCount, chunkCount)
        (self.key, self.digest) = (key, digest)
    }
}
