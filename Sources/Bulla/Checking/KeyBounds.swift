internal import BullaMemory

/// The keys that a page may hold, as the separators above it say.
///
/// They lie in pages that are being looked at: bounds are of use as long as these are.
struct KeyBounds {
    private var lower: ByteView?
    private var upper: ByteView?
    /// Whether they are of one key alone, which is both.
    private var isOneKey = false

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
        let isBelow = upper.map { isOneKey ? $0 == key : $0.compare(key) > 0 }
        return (lower.map { $0.compare(key) <= 0 } ?? true) && (isBelow ?? true)
    }

    /// The first key inside, in hexadecimal digits; `nil`: from the first on.
    var lowerText: String? { lower?.hexadecimal }

    /// The first key behind, likewise: behind one key comes the same with a zero at its end.
    var upperText: String? { upper.map { $0.hexadecimal + (isOneKey ? "00" : "") } }
}

extension ByteView {
    /// The bytes in hexadecimal digits, for a caller to keep.
    fileprivate var hexadecimal: String {
        Hexadecimal.text((0..<byteCount).lazy.map { load(UInt8.self, at: $0) })
    }
}
