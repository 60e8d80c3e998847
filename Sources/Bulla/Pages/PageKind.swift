/// What a page is, which its seal is bound to.
package enum PageKind: UInt8, Sendable {
    case leaf = 1
    case branch = 2
    /// Names the pages of a large value, or of further such pages.
    case valueIndex = 3
    /// Bytes of a large value, nothing else.
    case value = 4
}
