internal import BullaMemory

/// Chooses prefixes so that the heads of a page's keys differ.
///
/// A head is the 4 bytes of a key after a prefix that all keys of the page share. To choose another
/// prefix, the edit has to look at every key of the page. So it shortens the prefix only for a new
/// key that does not share it. It lengthens the prefix only when it splits the page, or when it
/// finds equal heads in a page of 1, 2, 4, 8 ... entries. So even if no 4 bytes distinguish the
/// keys of a page, the edit does not look at all of the keys on every insertion.
extension MemtableEdit {
    /// If the heads of a page span fewer numbers than this, ``fitPrefix(_:)`` lengthens the prefix.
    private static let narrowSpan: UInt32 = 1 << 12

    /// Inserts a key into a leaf, or, with its child, into a branch.
    func insert(
        _ key: ByteView, _ reference: UInt32, into page: IndexPage, at index: Int,
        child: UInt32? = nil
    ) {
        let first = page.firstKeyIndex
        let count = page.count
        var prefix = page.prefixByteCount
        if prefix > 0, count > first {
            let sample = space.key(page.reference(first)).slice(0, prefix)
            if key.slice(0, prefix) != sample {
                prefix = key.commonPrefix(sample)
                setPrefix(prefix, of: page)
            }
        }
        let head = key.head(at: prefix)
        let isTied =
            index > first && page.head(index - 1) == head
            || index < count && page.head(index) == head
        if let child {
            page.insert(index, head, reference, child: child)
        } else {
            page.insert(index, head, reference)
        }
        if isTied, count & (count - 1) == 0 { lengthenPrefix(of: page) }
    }

    /// Lengthens the prefix if the heads hardly differ.
    func fitPrefix(_ page: IndexPage) {
        let first = page.firstKeyIndex
        let last = page.count - 1
        guard first < last, page.head(last) &- page.head(first) < Self.narrowSpan else { return }
        lengthenPrefix(of: page)
    }

    func lengthenPrefix(of page: IndexPage) {
        let first = page.firstKeyIndex
        let last = page.count - 1
        guard first < last else { return }
        let shared = space.key(page.reference(first)).commonPrefix(
            space.key(page.reference(last)))
        if shared > page.prefixByteCount { setPrefix(shared, of: page) }
    }

    /// Sets another prefix, and takes the heads from the bytes that follow it.
    func setPrefix(_ byteCount: Int, of page: IndexPage) {
        page.setPrefix(byteCount)
        for index in page.firstKeyIndex..<max(page.count, page.firstKeyIndex) {
            let reference = page.reference(index)
            page.setSlot(index, space.key(reference).head(at: byteCount), reference)
        }
    }
}
