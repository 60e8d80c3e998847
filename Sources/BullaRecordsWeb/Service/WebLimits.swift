/// How much one request and its answer may have.
package struct WebLimits: Hashable, Sendable {
    /// Bytes of a request's body.
    package var requestByteCount = 16 << 20
    /// Bytes of an answer: from there on it has fewer records, and a mark to go on from.
    package var answerByteCount = 4 << 20
    package var wire = WireLimits()

    package init() {}
}
