/// One input, and the digest that every store was verified against, before its changes.
package struct ResultInput: Codable, Sendable, Equatable {
    package var name: String
    package var recordCount: Int
    package var payloadByteCount: Int
    /// Records that a later one with the same key replaced.
    package var replacedCount: Int
    package var digest: Digest

    init(_ source: Source) {
        name = source.name
        recordCount = source.recordCount
        payloadByteCount = source.payloadByteCount
        replacedCount = source.replacedCount
        digest = source.digest
    }
}
