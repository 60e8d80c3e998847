/// What a backend keeps under a record's name.
package struct StoredRecord: Hashable, Sendable {
    /// The change of the zone that made it what it is.
    package let version: UInt64
    package let content: Content

    package enum Content: Hashable, Sendable {
        /// A ``SealedRecord``'s bytes, of which the backend can open none.
        case record([UInt8])
        /// It was deleted then, in milliseconds since 1970.
        case deleted(type: String, time: Int64)
    }

    package init(version: UInt64, _ content: Content) {
        (self.version, self.content) = (version, content)
    }

    /// The record's bytes; `nil` where it was deleted.
    package var bytes: [UInt8]? {
        if case .record(let bytes) = content { bytes } else { nil }
    }
}

/// A record as it is to be kept, with all that a backend finds it by.
package struct RecordEntry: Hashable, Sendable {
    package var bytes: [UInt8]
    package var type: String
    package var tag: ChangeTag
    /// The places in indexes that it stands in; see ``IndexKey``.
    package var indexes: Set<[UInt8]>
    /// The records that it names.
    package var references: Set<ReferenceEdge>
    /// The assets that it holds, which are freed with the last record that does.
    package var assets: Set<RandomIdentifier>
    /// How many bytes these assets have.
    package var assetByteCount: UInt64 = 0

    package init(
        _ bytes: [UInt8], type: String, tag: ChangeTag, indexes: Set<[UInt8]> = [],
        references: Set<ReferenceEdge> = [], assets: Set<RandomIdentifier> = []
    ) {
        (self.bytes, self.type, self.tag) = (bytes, type, tag)
        (self.indexes, self.references, self.assets) = (indexes, references, assets)
    }

    /// What it counts for in ``StoredZone/byteCount``.
    package var byteCount: UInt64 {
        let (sum, isBeyond) = UInt64(bytes.count).addingReportingOverflow(assetByteCount)
        return isBeyond ? .max : sum
    }
}

/// The places in indexes that a version of a record is to stand in.
package struct ReindexedRecord: Hashable, Sendable {
    package let name: String
    package let tag: ChangeTag
    package let indexes: Set<[UInt8]>

    package init(_ name: String, _ tag: ChangeTag, indexes: Set<[UInt8]>) {
        (self.name, self.tag, self.indexes) = (name, tag, indexes)
    }
}

/// That a record names another of its zone.
package struct ReferenceEdge: Hashable, Sendable {
    /// The name of the record that is named.
    package let target: String
    package let action: RecordReference.Action

    package init(target: String, _ action: RecordReference.Action) {
        (self.target, self.action) = (target, action)
    }
}
