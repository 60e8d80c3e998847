/// What a backend stores under a record's name: the record, or its deletion.
package struct StoredRecord: Hashable, Sendable {
    /// The number of the zone's change that produced this state.
    package let version: UInt64
    package let content: Content

    package enum Content: Hashable, Sendable {
        /// The bytes of a ``SealedRecord``, which the backend cannot open.
        case record([UInt8])
        /// The record was deleted at `time`, in milliseconds since 1970; `type` is
        /// ``RecordEntry/type`` of the deleted record.
        case deleted(type: String, time: Int64)
    }

    package init(version: UInt64, _ content: Content) {
        (self.version, self.content) = (version, content)
    }

    /// The record's bytes; `nil` if it was deleted.
    package var bytes: [UInt8]? {
        if case .record(let bytes) = content { bytes } else { nil }
    }
}

/// A record to be stored, with everything that the backend needs to find it.
package struct RecordEntry: Hashable, Sendable {
    package var bytes: [UInt8]
    /// The core's digest of the bytes, which the backend stores beside them.
    package var digest: [UInt8] = []
    /// The text of a ``DeletionTrace``, which the backend keeps when the record is deleted.
    package var type: String
    package var tag: ChangeTag
    /// Its places in indexes; see ``IndexKey``.
    package var indexes: Set<[UInt8]>
    /// The records to which it refers.
    package var references: Set<ReferenceEdge>
    /// The assets that it holds; an asset is freed with the last record that holds it.
    package var assets: Set<RandomIdentifier>
    /// The total bytes of these assets.
    package var assetByteCount: UInt64 = 0

    package init(
        _ bytes: [UInt8], type: String, tag: ChangeTag, indexes: Set<[UInt8]> = [],
        references: Set<ReferenceEdge> = [], assets: Set<RandomIdentifier> = []
    ) {
        (self.bytes, self.type, self.tag) = (bytes, type, tag)
        (self.indexes, self.references, self.assets) = (indexes, references, assets)
    }

    /// Its contribution to ``StoredZone/byteCount``.
    package var byteCount: UInt64 {
        let (sum, isBeyond) = UInt64(bytes.count).addingReportingOverflow(assetByteCount)
        return isBeyond ? .max : sum
    }
}

/// The new places in indexes for one version of a record.
package struct ReindexedRecord: Hashable, Sendable {
    package let name: String
    package let tag: ChangeTag
    package let indexes: Set<[UInt8]>

    package init(_ name: String, _ tag: ChangeTag, indexes: Set<[UInt8]>) {
        (self.name, self.tag, self.indexes) = (name, tag, indexes)
    }
}

/// A reference from a record to another record of its zone.
package struct ReferenceEdge: Hashable, Sendable {
    /// The name of the target.
    package let target: String
    package let action: RecordReference.Action

    package init(target: String, _ action: RecordReference.Action) {
        (self.target, self.action) = (target, action)
    }
}
