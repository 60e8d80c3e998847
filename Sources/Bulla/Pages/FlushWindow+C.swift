internal import BullaMemory
internal import Glibc

/// A part of a file, mapped so that `msync(2)` can flush a range of it.
///
/// The file must be open for writing: the kernel silently skips mappings of a file that is open for
/// reading only. Nobody can read or write through the mapping. The mapping covers one stretch of
/// the file, and is replaced only when a flush lies in another stretch.
@safe struct FlushWindow: ~Copyable {
    enum Outcome {
        case done
        /// No address space is left, so a part of the range may not be flushed.
        case notMapped
        case refused(Int32)
    }

    /// Usually enough for both halves of a log; it takes address space, not memory.
    private static let byteCount: UInt64 = 256 << 20
    private static let noAccess: Int32 = 0
    private static let dontFork: Int32 = 10

    private var base: UnsafeMutableRawPointer?
    /// Which part of the file is mapped, counted in windows.
    private var number: UInt64 = 0

    init() { unsafe base = nil }

    deinit {
        // SAFETY: `move` mapped it, and it is unmapped once.
        if let base = unsafe base { unsafe _ = munmap(base, Int(Self.byteCount)) }
    }

    /// Removes the mapping.
    mutating func unmap() {
        // SAFETY: our own mapping, and nobody else has an address in it.
        if let base = unsafe base { unsafe _ = munmap(base, Int(Self.byteCount)) }
        unsafe base = nil
    }

    /// Flushes a part of the file.
    mutating func flush(_ descriptor: Int32, at offset: UInt64, byteCount: UInt64) -> Outcome {
        let page = UInt64(machinePageByteCount)
        var start = offset / page * page
        let end = offset + byteCount
        while start < end {
            let number = start / Self.byteCount
            guard move(to: number, of: descriptor), let base = unsafe base else {
                return .notMapped
            }
            let stop = min(end, (number + 1) * Self.byteCount)
            let inside = Int(start - number * Self.byteCount)
            // Never retried: after a failed flush nobody knows what is durable.
            // SAFETY: the addresses lie in our mapping, and nothing is read or written there.
            guard unsafe msync(base + inside, Int(stop - start), MS_SYNC) == 0 else {
                return .refused(errno)
            }
            start = stop
        }
        return .done
    }

    /// Maps another part, unless it is mapped already; `false` if no address space is left.
    private mutating func move(to number: UInt64, of descriptor: Int32) -> Bool {
        if unsafe base != nil, number == self.number { return true }
        unmap()
        let mapped = unsafe mmap(
            nil, Int(Self.byteCount), Self.noAccess, MAP_SHARED, descriptor,
            off_t(number * Self.byteCount))
        guard let mapped = unsafe mapped, unsafe mapped != MAP_FAILED else { return false }
        // A forked child does not need the mapping.
        unsafe _ = madvise(mapped, Int(Self.byteCount), Self.dontFork)
        unsafe base = unsafe mapped
        self.number = number
        return true
    }
}
