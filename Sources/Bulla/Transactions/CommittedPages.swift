internal import BullaMemory

/// Sealed pages of a commit, kept in memory so that reading them need not open them again.
///
/// They are laid into the frames of those that they replace: writing would otherwise touch as much
/// memory as the file is long, most of it for pages that are free again.
struct CommittedPages: Sendable {
    let pager: Pager
    let memory: WriterMemory
    /// By their indices in the memory.
    let pages: [Int: PagePointer]
    /// Numbers of pages that the commit freed.
    let superseded: [UInt64]

    /// So many take longer to keep than another thread takes to come.
    private static let manyPages = 256

    /// Whether it takes so long that others should not wait for it.
    var areMany: Bool { pages.count > Self.manyPages }

    /// To be called when the pages are published.
    func keep() {
        pager.forget(rewritten: pages.values, superseded: superseded, atOnce: areMany)
        let byteCount = pager.format.contentByteCount
        for (index, pointer) in pages {
            pager.keep(memory.arena.page(index).view.slice(0, byteCount), pointer)
        }
    }
}
