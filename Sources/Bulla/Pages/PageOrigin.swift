/// Where the content of a copied page came from.
enum PageOrigin {
    case file
    /// The cache, or the mapping of a plain store.
    case memory
    /// The cache, from a frame in which this process made the page, so that its structure is valid.
    case writer
}
