internal import BullaMemory

/// The descriptor of a value that lies in pages of its own.
///
/// The leaf holds the descriptor in place of the value.
///
///     offset  bytes  field
///          0      8  byte count of the value
///          8      8  height: index pages on every path to the value's bytes
///         16     24  pointer to the topmost index page; at height 0, to the only value page
///
/// An index page points to value pages or, above level 1, to index pages of the level below, in the
/// order of the value's bytes:
///
///     offset  bytes  field
///          0      1  page kind
///          1      1  level       1: its children are value pages
///          2      2  child count
///          4     12  zero
///         16      -  pointers of 24 bytes
///
/// A value page has no header: its whole content is bytes of the value. If the value does not fill
/// its last page, the rest of that page is zero.
struct LargeValue: Hashable {
    static let descriptorByteCount = 16 + PagePointer.byteCount
    static let indexHeaderByteCount = 16
    /// The longest value whose pages are kept in the cache, as a tree's pages are.
    static let cachedByteLimit = 64 << 10

    var byteCount: UInt64
    var height: Int
    var root: PagePointer

    init(byteCount: UInt64, height: Int, root: PagePointer) {
        self.byteCount = byteCount
        self.height = height
        self.root = root
    }

    init(_ bytes: ByteView) {
        byteCount = bytes.load(UInt64.self, at: 0)
        height = Int(clamping: bytes.load(UInt64.self, at: 8))
        root = PagePointer(bytes, at: 16)
    }

    func write(_ bytes: MutableByteView) {
        bytes.store(byteCount, at: 0)
        bytes.store(UInt64(height), at: 8)
        root.write(bytes, at: 16)
    }

    /// The maximum number of children that an index page can have.
    static func fanOut(_ format: PageFormat) -> Int {
        (format.contentByteCount - indexHeaderByteCount) / PagePointer.byteCount
    }

    /// Whether a writer could have stored a value of this length and height.
    func isPlausible(_ format: PageFormat) -> Bool {
        byteCount > 0 && height <= PageFormat.heightLimit
            && (height > 0 || pageCount(format) == 1)
    }

    /// How many value pages the value has.
    func pageCount(_ format: PageFormat) -> UInt64 {
        let unit = UInt64(format.contentByteCount)
        return byteCount / unit + (byteCount % unit == 0 ? 0 : 1)
    }
}

/// An index page of a large value, for reading.
///
/// It trusts nothing in the page: every access is defined for any bytes.
struct ValueIndexPage {
    let bytes: ByteView

    /// Writes a page of at most ``LargeValue/fanOut(_:)`` pointers.
    static func write(
        _ children: ArraySlice<PagePointer>, level: Int, _ content: MutableByteView
    ) {
        content.fill(0, content.byteCount)
        content.store(PageKind.valueIndex.rawValue, at: 0)
        content.store(UInt8(level), at: 1)
        content.store(UInt16(children.count), at: 2)
        for (index, pointer) in children.enumerated() {
            pointer.write(
                content, at: LargeValue.indexHeaderByteCount + index * PagePointer.byteCount)
        }
    }

    var kindByte: UInt8 { bytes.load(UInt8.self, at: 0) }
    var level: Int { Int(bytes.load(UInt8.self, at: 1)) }
    var count: Int { Int(bytes.load(UInt16.self, at: 2)) }

    func child(_ index: Int) -> PagePointer {
        PagePointer(
            bytes, at: LargeValue.indexHeaderByteCount + index * PagePointer.byteCount)
    }
}
