/// The properties of a changed page, encoded in the page's label in the writer's memory.
struct DirtyPage {
    var kind: PageKind
    var level: Int
    var isCatalog: Bool
    var isLive: Bool
    /// The number of the savepoint that was the newest when the page was made.
    var madeAfter: UInt64

    init(kind: PageKind, level: Int, isCatalog: Bool, madeAfter: UInt64) {
        self.kind = kind
        self.level = level
        self.isCatalog = isCatalog
        isLive = true
        self.madeAfter = madeAfter
    }

    /// Reads a label: bits 0 to 7 are the kind, 8 to 15 the level, 18 to 63 the savepoint; bit 16
    /// is set for a page of the catalog, and bit 17 until the page is freed.
    @inline(__always)
    init(label: UInt64) {
        kind = PageKind(rawValue: UInt8(truncatingIfNeeded: label)) ?? .leaf
        level = Int(UInt8(truncatingIfNeeded: label >> 8))
        isCatalog = label & 1 << 16 != 0
        isLive = label & 1 << 17 != 0
        madeAfter = label >> 18
    }

    var label: UInt64 {
        UInt64(kind.rawValue) | UInt64(level) << 8 | (isCatalog ? 1 << 16 : 0)
            | (isLive ? 1 << 17 : 0) | madeAfter << 18
    }
}
