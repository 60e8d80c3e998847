internal import BullaMemory
internal import Synchronization

/// Opened pages that the workers of one page pool share.
///
/// A page lies in a frame of its set (``PageSet``). The frame's first word says in which state the
/// frame is (``PoolWord``), and every change of state is one atomic store or exchange of that word:
///
///     empty, or retired and unread -> claimed      by the worker that opens a page into it
///     claimed -> published                         when the content is complete
///     published -> being retired -> retired        by a worker that wants a frame of the set
///     claimed -> retired                           by its worker, which gives the frame back, or
///                                                  by another worker, if its worker is dead
///
/// A retired frame is *unread* once no worker can be reading it (``PoolMember/isSettled(after:)``).
/// No word ever becomes empty again. So a search of a set can begin at the home and end at the
/// first empty frame. It does not touch the frames after that one, whose memory may never have been
/// used.
final class SharedFrames: Sendable {
    let member: PoolMember
    let frames: FrameHomes
    let words: SharedWords
    /// The places in this worker's line (``PoolLayout``) that are free for claims.
    let freeClaims: Mutex<[Int]>
    /// Counts searches for a frame to retire, so that not all of them begin at the same frame of a
    /// set.
    let turn = Atomic<Int>(0)
    let timeout: Duration

    init(_ member: PoolMember, timeout: Duration) {
        self.member = member
        self.timeout = timeout
        frames = member.frames
        words = member.words
        freeClaims = Mutex(Array((0..<PoolLayout.claimLimit).reversed()))
    }

    deinit { member.leave(timeout: timeout) }

    /// The frames in which lookups expect pages.
    var homes: FrameHomes { frames }

    /// The frames of a page's set: the group of its home, beginning at the home, and then another
    /// group.
    ///
    /// Even if pages have neighbouring homes, their second groups are scattered over the pool. That
    /// leaves room for many pages whose numbers lead to the same few homes.
    struct PageSet {
        let home: Int
        let other: Int
        static let count = 2 * PoolLayout.groupFrameCount

        subscript(_ step: Int) -> Int {
            let start = step & PoolLayout.groupFrameCount == 0 ? home : other
            let mask = PoolLayout.groupFrameCount - 1
            return start & ~mask | (start &+ step) & mask
        }
    }

    func pageSet(of number: UInt64) -> PageSet {
        // The factor is 2^64 divided by the golden ratio.
        PageSet(
            home: frames.home(number),
            other: frames.home((number &* 0x9E37_79B9_7F4A_7C15) >> 32))
    }

    /// The name of the frame that has the page; `nil` if no shared frame has it.
    ///
    /// Call this inside an epoch.
    func find(_ pointer: PagePointer) -> UInt64? {
        guard PoolWord.canName(pointer.number) else { return nil }
        let set = pageSet(of: pointer.number)
        for step in 0..<PageSet.count {
            let offset = member.frameWord(set[step])
            let word = words.loadAcquire(offset)
            if word == pointer.number, words.loadRelaxed(offset + 8) == pointer.check {
                return frames.name(set[step])
            }
            if word == PoolWord.empty { return nil }
        }
        return nil
    }

    /// Makes a page one of the first to be evicted.
    func pass(_ pointer: PagePointer) {
        guard let name = find(pointer) else { return }
        frames.pass(named: name)
    }

    /// Leaves the pool.
    ///
    /// Call it when no thread reads pages any more.
    func leave() { member.leave(timeout: timeout) }
}
