/// Opening many pages together for a scan, before the scan reaches them.
extension Pager {
    /// Whether a page is not in the cache; always `true` in a plain store.
    @inline(__always)
    func isMissing(_ pointer: PagePointer) -> Bool { cache.isMissing(pointer) }

    /// Claims frames for the pages that the cache lacks; `nil` if it lacks none.
    ///
    /// Call this outside any operation.
    ///
    /// - Parameter former: pages that the scan has opened and passed.
    func pagesAhead(
        _ pointers: [PagePointer], _ kind: PageKind, after former: [PagePointer]
    ) -> PagesAhead? {
        let claimed = cache.claimMissing(pointers, after: former)
        return claimed.isEmpty ? nil : PagesAhead(self, kind, claimed)
    }
}
