internal import BullaMemory

/// The range of keys that a page may hold according to the separators above it.
///
/// The bounds lie in pages that the caller is reading, and are valid as long as those pages are.
struct KeyBounds {
    private(set) var lower: ByteView?
    private(set) var upper: ByteView?
    /// Whether both bounds are the same key.
    private(set) var isOneKey = false

    init() {}

    private init(lower: ByteView?, upper: ByteView?) {
        self.lower = lower
        self.upper = upper
    }

    /// Bounds of a single key.
    init(_ key: ByteView) {
        lower = key
        upper = key
        isOneKey = true
    }

    /// The bounds of a child of a branch.
    func child(_ index: Int, of page: TreePage) -> KeyBounds {
        KeyBounds(
            lower: index > 0 ? page.key(index) : lower,
            upper: index + 1 < page.count ? page.key(index + 1) : upper)
    }

    func contains(_ key: ByteView) -> Bool {
        let isBelow = upper.map { $0.compare(key) > 0 }
        return (lower.map { $0.compare(key) <= 0 } ?? true) && (isBelow ?? true)
    }
}
