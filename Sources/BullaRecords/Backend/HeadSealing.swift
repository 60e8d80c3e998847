/// Makes the seal of a zone's next head; see ``HeadSeal``.
///
/// A backend calls this function in the transaction that changes the head, while nothing else can
/// change the head, and stores the seal with the head. If the function throws, nothing changes, and
/// the backend's caller gets the error.
///
/// - Parameters:
///   - former: the head as it is stored.
///   - next: the head as it is about to be stored, except for its seal.
///   - formers: the stored versions of the records that the batch changes, in the order of its
///     changes; `nil` where there is no record. Empty if only the head changes.
package typealias HeadSealing =
    @Sendable (
        _ former: StoredZone, _ next: StoredZone, _ formers: [FormerRecord?]
    ) throws(RecordError) -> [UInt8]

/// A stored record that a batch is about to change: the parts of it that the zone's seal covers.
package struct FormerRecord: Hashable, Sendable {
    package let tag: ChangeTag
    /// The number of the change that stored it.
    package let version: UInt64
    /// ``RecordEntry/digest``, as it was stored with the record.
    package let digest: [UInt8]

    package init(_ tag: ChangeTag, version: UInt64, digest: [UInt8]) {
        (self.tag, self.version, self.digest) = (tag, version, digest)
    }
}
