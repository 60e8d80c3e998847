/// Where a copy of a page comes from.
enum PageOrigin {
    case file
    /// Memory: the cache, or the mapping of a plain store.
    case memory
    /// The cache, as this process has made it: its structure is valid.
    case writer
}
