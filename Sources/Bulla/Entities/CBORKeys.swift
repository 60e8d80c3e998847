internal import BullaMemory

/// The keys of one map, to see whether one comes twice.
///
/// Compares with each of the first few, which lie on the stack; many are a set besides.
struct CBORKeys {
    private static let fewCount = 16

    private var few: InlineArray<16, ByteView>
    private var count = 0
    private var many: Set<ByteView> = []

    /// No keys yet, of a map that lies in `view`.
    init(in view: ByteView) { few = InlineArray(repeating: view) }

    /// Adds a key; `false` where it is there already.
    mutating func insert(_ key: ByteView) -> Bool {
        for index in 0..<count where few[index] == key { return false }
        guard count == Self.fewCount else {
            few[count] = key
            count += 1
            return true
        }
        return many.insert(key).inserted
    }
}
