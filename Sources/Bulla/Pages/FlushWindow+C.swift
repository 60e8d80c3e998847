internal import BullaMemory
internal import Glibc

/// A part of a file, mapped so that the kernel can be told by addresses what to flush (msync(2)).
///
/// The mapping is of an open file that may write: what is mapped from one for reading alone, the
/// kernel does not flush, and says nothing. Nobody can read or write through it. It is made once
/// for a stretch of the file, and made anew only when another stretch is asked for.
@safe struct FlushWindow: ~Copyable {
    enum Outcome {
        case done
        /// There are no addresses for it: nothing was flushed.
        case notMapped
        case refused(Int32)
    }

    /// Long enough for both halves of a log, as a rule; it takes addresses, not memory.
    private static let byteCount: UInt64 = 256 << 20
    private static let noAccess: Int32 = 0
    private static let dontFork: Int32 = 10

    private var base: UnsafeMutableRawPointer?
    /// Which part of the file is mapped, in windows.
    private var number: UInt64 = 0

    init() { unsafe base = nil }

    deinit {
        // SAFETY: mapped by `move`, unmapped once.
        if let base = unsafe base { unsafe _ = munmap(base, Int(Self.byteCount)) }
    }

    /// Lets the file go.
    mutating func unmap() {
        // SAFETY: a mapping of ours, of which no address was given to anybody.
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
            // Not retried after an error: what a failed flush covered is in doubt.
            // SAFETY: the addresses are of our mapping, and nothing is read or written there.
            guard unsafe msync(base + inside, Int(stop - start), MS_SYNC) == 0 else {
                return .refused(errno)
            }
            start = stop
        }
        return .done
    }

    /// Maps another part, unless that one is mapped; `false` where the system has no room for it.
    private mutating func move(to number: UInt64, of descriptor: Int32) -> Bool {
        if unsafe base != nil, number == self.number { return true }
        unmap()
        let mapped = unsafe mmap(
            nil, Int(Self.byteCount), Self.noAccess, MAP_SHARED, descriptor,
            off_t(number * Self.byteCount))
        guard let mapped = unsafe mapped, unsafe mapped != MAP_FAILED else { return false }
        // A child of a fork has no use for it.
        unsafe _ = madvise(mapped, Int(Self.byteCount), Self.dontFork)
        unsafe base = unsafe mapped
        self.number = number
        return true
    }
}
