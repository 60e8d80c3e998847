/// What one attempt to commit has written; it gives the stamps of its pages their meaning.
///
/// A tree of two pages: the root, which every commit rewrites, and a leaf, which every second
/// commit rewrites. An image's index in the list of images is the stamp of its root.
struct Image: Hashable {
    var base: UInt8
    var commit: UInt8
    var root: UInt8
    var leaf: UInt8
    /// The image that wrote the leaf.
    var leafImage: UInt8
    var leafBirth: UInt8
    /// Pages that are free, as bits.
    var free: UInt32
    /// Pages that were freed but are not yet known to be reusable.
    var pending: [Pending]
    var pageCount: UInt8

    struct Pending: Hashable {
        var page: UInt8
        var birth: UInt8
        var freedBy: UInt8
    }

    /// The first commit: a new store has it in both meta slots.
    static let first = Image(
        base: 0, commit: 1, root: 0, leaf: 1, leafImage: 0, leafBirth: 1, free: 0, pending: [],
        pageCount: 2)

    /// The commit that a writer makes on top of this one.
    ///
    /// - Parameters:
    ///   - stamp: the number of the new image.
    ///   - confirmed: the newest confirmed commit. Pages that this commit or an older one freed may
    ///     be reused.
    ///   - snapshots: the commits that others are reading, as bits.
    func next(stamp: Int, base: Int, confirmed: UInt8, snapshots: UInt32) -> Image {
        var image = self
        image.base = UInt8(base)
        image.commit += 1
        for item in pending where item.freedBy <= min(confirmed, commit) {
            let readable = (UInt32(1) << item.freedBy) - (UInt32(1) << item.birth)
            if snapshots & readable == 0 { image.free |= 1 << item.page }
        }
        image.pending.removeAll { image.free & 1 << $0.page != 0 }
        image.release(root, birth: commit)
        image.root = image.takePage()
        if image.writesLeaf {
            image.release(leaf, birth: leafBirth)
            image.leaf = image.takePage()
            image.leafImage = UInt8(stamp)
            image.leafBirth = image.commit
        }
        return image
    }

    var writesLeaf: Bool { commit % 2 == 1 }

    private mutating func release(_ page: UInt8, birth: UInt8) {
        pending.append(Pending(page: page, birth: birth, freedBy: commit))
    }

    /// Takes a page that was used before, if there is one, because reusing it too early does the
    /// most harm.
    private mutating func takePage() -> UInt8 {
        guard free == 0 else {
            let page = UInt8(free.trailingZeroBitCount)
            free &= free - 1
            return page
        }
        pageCount += 1
        return pageCount - 1
    }
}
