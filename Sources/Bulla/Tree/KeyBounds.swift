internal import BullaMemory

/// The keys that a page may hold, as the separators above it say.
///
/// They lie in pages that are being looked at: bounds are of use as long as these are.
struct KeyBounds {
    private(set) var lower: ByteView?
    private(set) var upper: ByteView?
    /// Whether they are of one key alone, which is both.
    private(set) var isOneKey = false

    init() {}

    private init(lower: ByteView?, upper: ByteView?) {
        self.lower = lower
        self.upper = upper
    }

    /// One key alone.
    init(_ key: ByteView) {
        lower = key
        upper = key
        isOneKey = true
    }

    /// What is left of the bounds for a child of a branch.
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
