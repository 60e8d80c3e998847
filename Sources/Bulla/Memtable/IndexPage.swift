internal import BullaMemory

/// The fields of a memtable's index page, by offset.
///
///     offset  bytes  field
///          0      4  birth        the version that the page was made for
///          4      4  superseded   the version in which another page replaced it
///          8      4  the page made before it in the same edit; 0 for none
///         12      4  the next page in its list, of superseded or of free pages
///         16      2  entry count
///         18      2  level        0 for a leaf; the directory's levels begin at 32
///         20      2  prefix       leading bytes that all keys of the page share
///         22      2  zero
///         24      -  slots of 8 bytes: head 4, reference 4
///          -      -  at the end, except in leaves: the children's numbers, 4 bytes each
///
/// A reference is the offset of an operation among the memtable's bytes. A head is the 4 bytes that
/// follow the prefix in the operation's key, as a number that sorts as they do. The directory's
/// keys are the numbers of trees: the low half is stored as the head, the high half as the
/// reference. The children of the directory's lowest level are the trees' roots. No search compares
/// the key of a branch's first slot, because that slot counts as below every key.
///
/// Once a page is published, only its fields at 4 and 12 change, and only the writer reads those.
enum IndexPageLayout {
    static let byteCount = 1024

    static let birth = 0
    static let superseded = 4
    static let madeBefore = 8
    static let next = 12
    static let count = 16
    static let level = 18
    static let prefix = 20
    static let header = 24

    static let slotByteCount = 8
    static let childByteCount = 4
    static let leafCapacity = (byteCount - header) / slotByteCount
    static let branchCapacity = (byteCount - header) / (slotByteCount + childByteCount)
    static let children = header + branchCapacity * slotByteCount

    /// The level of a directory page whose children are the roots of trees.
    static let directoryLevel = 32
    /// How many levels there can be.
    ///
    /// A page that is split keeps half of its entries; only the last page of a level can keep
    /// nearly all. So each level has at least 40 times fewer pages than the one below it. A
    /// memtable has at most 2^32 operations, and for these 8 levels are more than enough.
    static let heightLimit = 8
}

/// An index page in a memtable's memory.
struct IndexPage {
    let number: UInt32
    let bytes: MutableByteView

    @inline(__always)
    init(_ number: UInt32, _ bytes: MutableByteView) { (self.number, self.bytes) = (number, bytes) }

    @inline(__always)
    private func word(_ offset: Int) -> UInt32 { bytes.view.load(UInt32.self, at: offset) }
    @inline(__always)
    private func half(_ offset: Int) -> Int { Int(bytes.view.load(UInt16.self, at: offset)) }

    @inline(__always)
    var count: Int { half(IndexPageLayout.count) }
    @inline(__always)
    var level: Int { half(IndexPageLayout.level) }
    @inline(__always)
    var prefixByteCount: Int { half(IndexPageLayout.prefix) }
    @inline(__always)
    var isLeaf: Bool { level == 0 }
    @inline(__always)
    var birth: UInt32 { word(IndexPageLayout.birth) }
    var superseded: UInt32 { word(IndexPageLayout.superseded) }
    var madeBefore: UInt32 { word(IndexPageLayout.madeBefore) }
    var next: UInt32 { word(IndexPageLayout.next) }

    @inline(__always)
    static func slot(_ index: Int) -> Int {
        IndexPageLayout.header &+ index &* IndexPageLayout.slotByteCount
    }

    @inline(__always)
    func head(_ index: Int) -> UInt32 { word(Self.slot(index)) }
    @inline(__always)
    func reference(_ index: Int) -> UInt32 { word(Self.slot(index) &+ 4) }
    @inline(__always)
    func child(_ index: Int) -> UInt32 {
        word(IndexPageLayout.children &+ index &* IndexPageLayout.childByteCount)
    }

    /// Begins to load the page, because a branch-free search would otherwise wait for one cache
    /// line after another.
    @inline(__always)
    func prefetch() { bytes.view.prefetch(lineCount: IndexPageLayout.byteCount / 64) }

    /// The index of the first entry whose key a search compares: 0 in a leaf and in the directory's
    /// lowest level, otherwise 1, because the first slot of a branch counts as below every key.
    @inline(__always)
    var firstKeyIndex: Int {
        let level = level
        return level == 0 || level == IndexPageLayout.directoryLevel ? 0 : 1
    }

    /// The entries from `first` onward whose heads are `head`; if there are none, an empty range at
    /// the place for them.
    @inline(__always)
    func range(of head: UInt32, from first: Int) -> Range<Int> {
        let count = count
        guard first < count else { return count..<count }
        let view = bytes.view
        let low =
            first
            &+ view.firstLoadedHead(notBelow: head, at: Self.slot(first), count: count &- first)
        guard low < count, self.head(low) == head else { return low..<low }
        guard low &+ 1 < count, self.head(low &+ 1) == head else { return low..<low &+ 1 }
        guard head < .max else { return low..<count }
        let above = view.firstLoadedHead(
            notBelow: head &+ 1, at: Self.slot(low), count: count &- low)
        return low..<low &+ above
    }

    /// The number of the tree that an entry of a directory page stands for.
    func tree(_ index: Int) -> UInt64 { UInt64(reference(index)) << 32 | UInt64(head(index)) }

    /// In a directory page, the index of the entry for `tree`, or the index at which that entry
    /// would be inserted; and whether it exists.
    func search(tree: UInt64) -> (index: Int, isFound: Bool) {
        let same = range(of: UInt32(truncatingIfNeeded: tree), from: firstKeyIndex)
        let high = UInt32(truncatingIfNeeded: tree >> 32)
        var index = same.lowerBound
        while index < same.upperBound, reference(index) < high { index &+= 1 }
        return (index, index < same.upperBound && reference(index) == high)
    }

    /// The child that a search of a branch leads to.
    @inline(__always)
    static func childIndex(_ place: (index: Int, isFound: Bool)) -> Int {
        place.isFound ? place.index : max(place.index &- 1, 0)
    }
}
