/// Where the content of a copied page came from.
enum PageOrigin {
    case file
    /// The cache, or the mapping of a plain store.
    case memory
    /// A frame of the cache in which this process made the page; the page's structure is therefore
    /// valid.
    case writer
}
