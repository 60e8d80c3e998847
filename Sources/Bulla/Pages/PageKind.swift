/// The kind of a page; the page's seal is bound to it.
package enum PageKind: UInt8, Sendable {
    case leaf = 1
    case branch = 2
    /// Points to pages of a large value, or to further index pages.
    case valueIndex = 3
    /// Holds bytes of a large value, and nothing else.
    case value = 4
}
