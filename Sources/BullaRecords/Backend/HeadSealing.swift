/// Makes the seal of a zone's next head; see ``HeadSeal``.
///
/// A backend calls it in the transaction that changes a head, while no one else can change that
/// head, and stores the result with it. If it throws, nothing changes, and the backend's caller
/// gets the error.
///
/// - Parameters:
///   - former: the head as it is stored.
///   - next: the head as it is about to be stored, except for its seal.
///   - formerTags: the present tags of the records that change, in the order of the batch's
///     changes; `nil` where there is no record. Empty if only the head changes.
package typealias HeadSealing =
    @Sendable (
        _ former: StoredZone, _ next: StoredZone, _ formerTags: [ChangeTag?]
    ) throws(RecordError) -> [UInt8]
