internal import BullaMemory

/// The keys of one map, kept to detect duplicates.
///
/// The first few lie on the stack and are compared one by one; further keys go into a set.
struct CBORKeys {
    private static let fewCount = 16

    private var few: InlineArray<16, ByteView>
    private var count = 0
    private var many: Set<ByteView> = []

    /// Begins without keys; `view`, the bytes that hold the map, is only there to fill the unused
    /// places.
    init(in view: ByteView) { few = InlineArray(repeating: view) }

    /// Adds a key; `false` if it is already there.
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
