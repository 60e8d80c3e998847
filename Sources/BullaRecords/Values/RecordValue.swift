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
    /// An empty list has a kind too, so that it cannot turn into one of another.
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

    /// The values of a list; the value itself where it is none.
    package var elements: [RecordValue] {
        if case .list(_, let elements) = self { elements } else { [self] }
    }
}

/// A place on the globe.
package struct Location: Hashable, Sendable {
    /// In degrees, north positive.
    package var latitude: Double
    /// In degrees, east positive.
    package var longitude: Double
    /// In meters above the sea; `nil` where nobody measured it, as for all that follow.
    package var altitude: Double?
    /// In meters.
    package var horizontalAccuracy: Double?
    package var verticalAccuracy: Double?
    /// In degrees from north, clockwise.
    package var course: Double?
    /// In meters a second.
    package var speed: Double?
    /// Milliseconds since 1970, in UTC.
    package var timestamp: Int64?

    package init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// A record that another one names.
package struct RecordReference: Hashable, Sendable {
    /// What becomes of the record that names, when the named one is deleted.
    package enum Action: UInt8, CaseIterable, Sendable {
        /// Nothing: the reference may lead nowhere.
        case none = 0
        /// It is deleted too.
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

/// A file that lies outside of its record, in chunks of its own.
package struct AssetDescriptor: Hashable, Sendable {
    package static let keyByteCount = 32
    package static let digestByteCount = 32

    /// Names the chunks: 16 random bytes.
    package let asset: RandomIdentifier
    /// Bytes of the file.
    package let byteCount: UInt64
    /// How many chunks it was cut into; one at least.
    package let chunkCount: UInt32
    /// The 32 bytes that the keys of the chunks are wrapped by.
    package let key: [UInt8]
    /// SHA-256 of the tags of all chunks.
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
