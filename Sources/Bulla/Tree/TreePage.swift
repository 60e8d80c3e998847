internal import BullaMemory

/// The fields of a tree page's header, by offset.
///
/// Slots follow; cells fill the page from its end.
///
///     offset  bytes  field
///          0      1  page kind
///          1      1  level        0 for a leaf
///          2      2  slot count
///          4      2  where the cells begin
///          6      2  unused bytes among the cells
///          8      2  prefix       leading bytes that all keys of the page share
///         10      6  zero
///         16      -  slots of 8 bytes: head 4, cell offset 2, key byte count 2
///
/// A slot's head is the first 4 bytes of its key after the prefix, as a number that sorts as those
/// bytes do. So most comparisons of a search touch only slots. A cell holds its whole key, prefix
/// included, so that the key can be lent in place.
///
///     leaf cell     value word 4, key, value   word: byte count, or the mark of a large value
///     branch cell   pointer 24, key            first cell: an empty key, below all others
package enum TreePageLayout {
    static let kind = 0
    static let level = 1
    static let count = 2
    static let cellStart = 4
    static let unusedByteCount = 6
    static let prefixByteCount = 8
    static let headerByteCount = 16
    static let slotByteCount = 8

    static let slotCellOffset = 4
    static let slotKeyByteCount = 6

    static let leafCellHeader = 4
    static let branchCellHeader = PagePointer.byteCount
    /// Set in a value word if the value lies in pages of its own and the cell holds its descriptor.
    static let largeMark: UInt32 = 1 << 31
}

/// A leaf or branch page, for reading.
///
/// It trusts nothing in the page: every access is defined for any bytes.
package struct TreePage {
    let bytes: ByteView
    private let cellHeader: Int

    @inline(__always)
    init(_ bytes: ByteView, _ kind: PageKind) {
        self.bytes = bytes
        cellHeader = kind == .leaf ? TreePageLayout.leafCellHeader : TreePageLayout.branchCellHeader
    }

    @inline(__always)
    var level: Int { Int(bytes.load(UInt8.self, at: TreePageLayout.level)) }
    var kindByte: UInt8 { bytes.load(UInt8.self, at: TreePageLayout.kind) }

    @inline(__always)
    var count: Int { Int(bytes.load(UInt16.self, at: TreePageLayout.count)) }
    var cellStart: Int { Int(bytes.load(UInt16.self, at: TreePageLayout.cellStart)) }
    var unusedByteCount: Int { Int(bytes.load(UInt16.self, at: TreePageLayout.unusedByteCount)) }
    @inline(__always)
    var prefixByteCount: Int { Int(bytes.load(UInt16.self, at: TreePageLayout.prefixByteCount)) }

    @inline(__always)
    static func slotOffset(_ index: Int) -> Int {
        TreePageLayout.headerByteCount &+ index &* TreePageLayout.slotByteCount
    }

    @inline(__always)
    func cellOffset(_ index: Int) -> Int {
        Int(bytes.load(UInt16.self, at: Self.slotOffset(index) &+ TreePageLayout.slotCellOffset))
    }

    @inline(__always)
    func keyByteCount(_ index: Int) -> Int {
        Int(bytes.load(UInt16.self, at: Self.slotOffset(index) &+ TreePageLayout.slotKeyByteCount))
    }

    @inline(__always)
    func key(_ index: Int) -> ByteView {
        bytes.slice(cellOffset(index) &+ cellHeader, keyByteCount(index))
    }

    /// How many bytes the slots and cells take.
    func usedByteCount(contentByteCount: Int) -> Int {
        count * TreePageLayout.slotByteCount + contentByteCount - cellStart - unusedByteCount
    }

    /// The maximum number of cells to prefetch: few enough to leave room for other data in the
    /// processor's first-level cache.
    private static let prefetchLimit = 128

    /// Starts loading the beginnings of the entries' cells, with their keys.
    ///
    /// If there are more than ``prefetchLimit`` entries, it loads the cells of those that a walk in
    /// `order` visits first.
    func prefetchCells(_ entries: Range<Int>, _ order: ScanOrder) {
        let count = Self.prefetchLimit
        for index in order == .ascending ? entries.prefix(count) : entries.suffix(count) {
            prefetchCell(index, lineCount: 1)
        }
    }

    /// Starts loading the beginning of an entry's cell.
    @inline(__always)
    func prefetchCell(_ index: Int, lineCount: Int) {
        bytes.slice(cellOffset(index), 1).prefetch(lineCount: lineCount)
    }

    /// Starts loading the cell that ``entry(of:)`` will read.
    @inline(__always)
    func prefetchEntry(of key: ByteView) {
        let count = count
        guard count > 0 else { return }
        let index = bytes.firstLoadedHead(
            notBelow: key.head(at: prefixByteCount), at: Self.slotOffset(0), count: count)
        prefetchCell(min(index, count &- 1), lineCount: Self.cellLineCount)
    }

    /// How many cache lines a cell with a short value usually takes.
    static let cellLineCount = 3

    /// The number of entries by which the loading of cells runs ahead of a scan: about as many as
    /// the scan visits during one load.
    ///
    /// The processor cannot predict these loads, because the cells of a page lie in no particular
    /// order.
    static let scanDistance = 8

    /// The value word of a leaf's cell.
    @inline(__always)
    func valueWord(_ index: Int) -> UInt32 { bytes.load(UInt32.self, at: cellOffset(index)) }

    @inline(__always)
    func isLarge(_ index: Int) -> Bool { valueWord(index) & TreePageLayout.largeMark != 0 }

    /// The bytes of a leaf's cell after the key: the value, or the descriptor of a large value.
    @inline(__always)
    func payload(_ index: Int) -> ByteView {
        let word = valueWord(index)
        let count =
            word & TreePageLayout.largeMark != 0
            ? LargeValue.descriptorByteCount : Int(word)
        return bytes.slice(
            cellOffset(index) &+ TreePageLayout.leafCellHeader &+ keyByteCount(index), count)
    }

    /// All bytes of a cell.
    func cell(_ index: Int) -> ByteView {
        let payloadByteCount =
            cellHeader == TreePageLayout.leafCellHeader ? payload(index).byteCount : 0
        return bytes.slice(cellOffset(index), cellHeader + keyByteCount(index) + payloadByteCount)
    }

    @inline(__always)
    func child(_ index: Int) -> PagePointer { PagePointer(bytes, at: cellOffset(index)) }

    /// The shortest beginning of `right` that is greater than `left`.
    static func separator(_ left: ByteView, _ right: ByteView) -> ByteView {
        right.slice(0, min(left.commonPrefix(right) + 1, right.byteCount))
    }

    /// The first entry whose key is not less than `key`, and whether it has `key` itself.
    @inline(__always)
    func search(_ key: ByteView) -> (index: Int, isFound: Bool) {
        search(key, from: 0)
    }

    /// The child to which `key` belongs.
    @inline(__always)
    func childIndex(for key: ByteView) -> Int {
        let (index, isFound) = search(key, from: 1)
        return isFound ? index : max(index &- 1, 0)
    }

    /// Does what ``search(_:)`` does, but only among the entries from `first` on.
    ///
    /// - Parameter isLoaded: whether the slots are in the processor's cache, or are being loaded.
    @inline(__always)
    func search(
        _ key: ByteView, from first: Int, isLoaded: Bool = false
    ) -> (index: Int, isFound: Bool) {
        let count = self.count
        guard count > first else { return (count, false) }
        let prefix = prefixByteCount
        if prefix > 0 {
            let order = comparePrefix(key, self.key(first), prefix)
            if order != 0 { return (order < 0 ? first : count, false) }
        }
        let head = key.head(at: prefix)
        let slots = Self.slotOffset(first)
        var index = first
        if isLoaded {
            index &+= bytes.firstLoadedHead(notBelow: head, at: slots, count: count &- first)
        } else {
            index &+= bytes.firstHead(notBelow: head, at: slots, count: count &- first)
        }
        // Among equal heads, the keys decide.
        while index < count, bytes.load(UInt32.self, at: Self.slotOffset(index)) == head {
            let order = self.key(index).compare(key)
            if order >= 0 { return (index, order == 0) }
            index &+= 1
        }
        return (index, false)
    }

    /// The entry of a leaf that has `key`; `nil` if there is none.
    ///
    /// Unlike ``search(_:)``, this need not find the place of a missing key. So it does not compare
    /// the prefix, which would mean reading the first entry's cell. A key that does not begin with
    /// the prefix can have the same head as an entry's key, but is never equal to that key.
    @inline(__always)
    func entry(of key: ByteView) -> Int? {
        let (count, head) = (self.count, key.head(at: prefixByteCount))
        var index = bytes.firstHead(notBelow: head, at: Self.slotOffset(0), count: count)
        while index < count, bytes.load(UInt32.self, at: Self.slotOffset(index)) == head {
            if self.key(index).compare(key) == 0 { return index }
            index &+= 1
        }
        return nil
    }

    @inline(__always)
    private func comparePrefix(_ key: ByteView, _ sample: ByteView, _ prefix: Int) -> Int {
        // A key that ends inside the prefix sorts before every key of the page.
        key.slice(0, min(prefix, key.byteCount)).compare(sample.slice(0, prefix))
    }
}
