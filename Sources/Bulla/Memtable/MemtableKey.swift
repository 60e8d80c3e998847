package import BullaMemory

/// What a search in a memtable looks for: a tree, and one of the tree's keys.
///
/// The hash is the same for every memtable of the process, so a reader that asks two of them
/// computes it once. The hash has a random seed, so nobody can choose keys that defeat a filter.
package struct MemtableKey {
    /// The tree's number, which is never given to another tree.
    package let tree: UInt64
    package let bytes: ByteView
    let hash: UInt64

    @inline(__always)
    package init(tree: UInt64, _ bytes: ByteView) {
        self.tree = tree
        self.bytes = bytes
        hash = Self.hash(tree, bytes)
    }

    /// - Parameter hash: the hash of a ``MemtableKey`` with the same tree and bytes.
    @inline(__always)
    init(tree: UInt64, _ bytes: ByteView, hash: UInt64) {
        (self.tree, self.bytes, self.hash) = (tree, bytes, hash)
    }

    private static let seed = UInt64.random(in: .min ... .max)

    /// Hashes with folded multiplications, 8 bytes at a time.
    ///
    /// Source: W. Yi, "wyhash", 2019; the constants are digits of pi, the last one made odd.
    @inline(__always)
    private static func hash(_ tree: UInt64, _ bytes: ByteView) -> UInt64 {
        let count = bytes.byteCount
        var state = fold(seed ^ tree, 0x243F_6A88_85A3_08D3 ^ UInt64(truncatingIfNeeded: count))
        var offset = 0
        while offset &+ 8 <= count {
            state = fold(state ^ bytes.load(UInt64.self, at: offset), 0x1319_8A2E_0370_7344)
            offset &+= 8
        }
        guard offset < count else { return fold(state, 0xA409_3822_299F_31D1) }
        var rest: UInt64 = 0
        if count >= 8 {
            rest = bytes.load(UInt64.self, at: count &- 8)
        } else {
            while offset < count {
                rest = rest << 8 | UInt64(bytes.load(UInt8.self, at: offset))
                offset &+= 1
            }
        }
        return fold(fold(state ^ rest, 0x1319_8A2E_0370_7344), 0xA409_3822_299F_31D1)
    }

    @inline(__always)
    private static func fold(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let product = one.multipliedFullWidth(by: other)
        return product.high ^ product.low
    }
}
