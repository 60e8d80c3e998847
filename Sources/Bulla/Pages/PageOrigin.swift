/// Where a copied page came from.
enum PageOrigin {
    case file
    /// The cache, or the mapping of a plain store.
    case memory
    /// The cache, in a frame where this process made the page, so its structure is valid.
    case writer
}
