public import CBullaShared

extension ByteView {
    /// The index of the first slot whose head is at least `head`; `count` if there is none.
    ///
    /// `count` slots of 8 bytes lie at `offset`, sorted by their heads, which are their first 4
    /// bytes. Use this for slots that may have to be fetched from memory: the compiler can turn the
    /// loop into one with branches, and branch prediction then fetches ahead.
    @inlinable @inline(__always)
    package func firstHead(notBelow head: UInt32, at offset: Int, count: Int) -> Int {
        guard count > 0, contains(offset, count &* 8) else { return 0 }
        // SAFETY: every index below `count` lies inside, checked above.
        let slots = unsafe base + offset
        var low = 0
        var length = count
        while length > 1 {
            let half = length >> 1
            let probe = unsafe slots.loadUnaligned(
                fromByteOffset: (low &+ half &- 1) &* 8, as: UInt32.self)
            low = UInt32(littleEndian: probe) < head ? low &+ half : low
            length &-= half
        }
        let last = unsafe slots.loadUnaligned(fromByteOffset: low &* 8, as: UInt32.self)
        return UInt32(littleEndian: last) < head ? low &+ 1 : low
    }

    /// Does the same as ``firstHead(notBelow:at:count:)``, but without branches.
    ///
    /// Use this for slots that are in the processor's cache or on their way there: a branch would
    /// have nothing to fetch ahead, and half of its predictions would be wrong.
    @inlinable @inline(__always)
    package func firstLoadedHead(notBelow head: UInt32, at offset: Int, count: Int) -> Int {
        guard count > 0, contains(offset, count &* 8) else { return 0 }
        // SAFETY: every index below `count` lies inside, checked above.
        return unsafe bulla_first_head(base + offset, count, head)
    }

    /// Up to 4 bytes from `offset` as a number that sorts as they do; missing bytes count as zero.
    @inlinable @inline(__always)
    package func head(at offset: Int) -> UInt32 {
        if contains(offset, 4) {
            return UInt32(bigEndian: load(UInt32.self, at: offset).littleEndian)
        }
        var head: UInt32 = 0
        for index in 0..<4 { head = head << 8 | UInt32(load(UInt8.self, at: offset &+ index)) }
        return head
    }
}
