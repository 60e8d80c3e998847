internal import BullaMemory

/// Rules out most keys that a memtable has never held, by looking at one word.
///
/// It is a Bloom filter in which all `bitCount` bits of a key lie in one word of 64 bits. One
/// filter serves every version. Bits are only ever added, so the filter can say "perhaps" of a key
/// that an older version does not hold, but never "no" of a key that some version holds.
///
/// One thread adds keys, and any number of threads read. A version is published after its bits are
/// set.
struct MemtableFilter {
    private let words: SharedWords
    /// One less than the number of words, which is a power of two.
    private let mask: UInt64

    /// How many bits of a word stand for a key.
    private static let bitCount = 5
    /// The filter has at least one word per this many bytes of operations and their index.
    private static let bytesPerWord = 512
    static let leastByteCount = 4096

    /// The length of the filter for a memtable that is expected to have this size.
    static func byteCount(forMemtableOf expectedByteCount: Int) -> Int {
        var byteCount = leastByteCount
        while byteCount < expectedByteCount / bytesPerWord * 8 { byteCount *= 2 }
        return byteCount
    }

    init(_ bytes: MutableByteView, byteCount: Int) {
        words = SharedWords(bytes)
        mask = UInt64(byteCount / 8 - 1)
    }

    func add(_ key: MemtableKey) {
        let (offset, bits) = Self.place(key.hash, mask)
        // Do not check whether the bits are set already, so that nothing waits for the word.
        words.storeRelaxed(words.loadRelaxed(offset) | bits, offset)
    }

    /// `false` means that no version holds the key.
    @inline(__always)
    func mayHold(_ key: MemtableKey) -> Bool {
        let (offset, bits) = Self.place(key.hash, mask)
        return words.loadRelaxed(offset) & bits == bits
    }

    /// Begins to load the word of a key.
    @inline(__always)
    func prefetch(_ key: MemtableKey) {
        words.bytes.view.slice(Self.place(key.hash, mask).offset, 8).prefetch(lineCount: 1)
    }

    /// The low half of the hash chooses the word; five groups of six bits in the high half choose
    /// its bits.
    @inline(__always)
    private static func place(_ hash: UInt64, _ mask: UInt64) -> (offset: Int, bits: UInt64) {
        var bits: UInt64 = 0
        var rest = hash >> 32
        for _ in 0..<bitCount {
            bits |= 1 << (rest & 63)
            rest >>= 6
        }
        return (Int(hash & 0xFFFF_FFFF & mask) &* 8, bits)
    }
}
