internal import BullaMemory

/// Where things lie in the memory of a page pool.
///
///     offset  bytes    field
///          0      8    magic: set once the pool is bound
///         16     16    nonce of the binding
///         32     32    binding: tells which store and secret the pool serves
///        128      8    round: see `PoolMember`
///        192      8    how many workers' lines have ever been used
///       4096  512 Ki   a line of 2 KiB for each worker
///      2 Mi      -     frames
///
/// The rest of the first 2 MiB is never touched, and takes no memory.
///
///     offset  bytes  field of a worker's line
///          0      8  1 while a worker uses the line
///          8      8  answer: the last round that the worker has answered
///         64   1920  240 words: the frames that the worker has claimed, each plus 1; 0 for none
///
/// Nothing here is trusted: any word can hold anything.
enum PoolLayout {
    static let magicWord: UInt64 = 0x3176_6C6F_6F70_6C62

    static let magic = 0
    static let nonce = 16
    static let binding = 32
    static let round = 128
    static let lineCount = 192
    static let framesOffset = 2 << 20

    static let workerLimit = 256
    static let claimLimit = 240

    static func line(_ worker: Int) -> Int { 4096 + worker * 2048 }
    static func isUsed(of worker: Int) -> Int { line(worker) }
    static func answer(of worker: Int) -> Int { line(worker) + 8 }
    static func claim(_ index: Int, of worker: Int) -> Int { line(worker) + 64 + index * 8 }

    /// The frames of a pool, which form whole groups.
    static func frames(of bytes: MutableByteView, pageByteCount: Int) -> FrameHomes {
        let groupByteCount = pageByteCount * groupFrameCount
        let room = (bytes.byteCount - framesOffset) / groupByteCount * groupByteCount
        return FrameHomes(bytes.slice(framesOffset, room), frameByteCount: pageByteCount)
    }

    /// How many frames a group has.
    ///
    /// A page lies in one of two groups, so a lookup tries few frames.
    static let groupFrameCount = 4

    /// The byte that a worker locks while it joins or leaves the pool.
    static let doorByte: UInt64 = 1 << 62
    /// The bytes that the workers lock, one each; the kernel frees a worker's lock when the worker
    /// dies.
    static let workerBytes = doorByte + 1..<doorByte + 1 + UInt64(workerLimit)
    static func byte(of worker: Int) -> UInt64 { workerBytes.lowerBound + UInt64(worker) }
}

/// The first word of a frame in a page pool.
///
///     highest bits  the rest     meaning
///     00            0            the frame was never used
///     00            page number  published
///     01            round        retired in that round: no longer found, but perhaps still read
///     10            worker       claimed by that worker
///     11            retirement   being retired: 8 bits for the worker that began it, and 54 bits
///                                for a number that the worker uses once
enum PoolWord {
    static let empty: UInt64 = 0
    /// Retired before the first round, so nobody reads the frame.
    static let free = retired(in: 0)

    private static let restMask: UInt64 = 1 << 62 - 1

    static func retired(in round: UInt64) -> UInt64 { round & restMask | 1 << 62 }
    static func retiring(_ number: UInt64, by worker: Int) -> UInt64 {
        3 << 62 | UInt64(worker) << 54 | number & (1 << 54 - 1)
    }
    static func isRetiring(_ word: UInt64) -> Bool { word >> 62 == 3 }
    static func claimed(by worker: Int) -> UInt64 { UInt64(worker) | 1 << 63 }

    /// The round in which a retired frame was retired; `nil` for any other frame.
    static func round(_ word: UInt64) -> UInt64? {
        word >> 62 == 1 ? word & restMask : nil
    }
    static func isPublished(_ word: UInt64) -> Bool { word != 0 && word >> 62 == 0 }
    /// Whether a page of that number can be published.
    static func canName(_ number: UInt64) -> Bool { isPublished(number) }
}
