package import BullaMemory

/// Keeps the roots of trees that snapshots have found by name, for later snapshots of the same
/// checkpoint.
///
/// Most programs look up the same few trees in each snapshot, nearly always in the same catalog.
/// Each of the first reader lines (``ReaderSlots/firstLineCount``) has entries of its own, so that
/// threads do not share cache lines. Only threads that share a snapshot share its line's entries.
/// An entry's version tells a thread that reads the entry whether another thread is writing it. The
/// words of an entry:
///
///     word  meaning
///        0  version: odd while a thread writes the entry, 0 if it is empty
///      1-3  pointer to the root of the catalog in which the tree was found
///     4-10  the tree's root: pointer, height, entries, large values, number
///       11  byte count of the name
///    12-17  the name, padded with zeros
///
/// Names are as secret as keys: the memory is kept out of core dumps, empty in a forked child, and
/// wiped when the store is closed.
///
/// Source of the versions: "seqlock", as in H.-J. Boehm, "Can seqlocks get along with programming
/// language memory models?", 2012.
package struct FoundTrees: ~Copyable, Sendable {
    /// How many trees each of the first reader lines has room for.
    private static let perLine = 4
    private static let nameByteLimit = 48
    private static let entryByteCount = 192

    private enum Entry {
        static let version = 0
        static let catalog = 8
        static let root = 32
        static let nameByteCount = 88
        static let name = 96
    }

    private let region: AnonymousRegion
    private let words: SharedWords

    package init() throws(BullaError) {
        let count = ReaderSlots.firstLineCount * Self.perLine
        do throws(MemoryError) {
            region = try AnonymousRegion(byteCount: count * Self.entryByteCount)
        } catch { throw BullaError.memory("reserve room for the roots of trees", error) }
        words = SharedWords(region.bytes)
    }

    package func wipe() { region.wipe() }

    /// The root of the tree with the given name; `nil` if the line has no entry for that name in
    /// this catalog, or if a thread is writing the entry.
    ///
    /// - Parameter line: the offset of the snapshot's reader line.
    @inline(__always)
    package func root(
        named name: ByteView, in catalog: PagePointer, line: Int
    ) -> TreeRoot? {
        guard let entry = Self.entry(name, line) else { return nil }
        let version = words.loadAcquire(entry + Entry.version)
        guard version != 0, version & 1 == 0,
            pointer(entry + Entry.catalog) == catalog, isNamed(name, entry)
        else { return nil }
        let root = root(entry + Entry.root)
        acquireFence()
        return words.loadRelaxed(entry + Entry.version) == version ? root : nil
    }

    /// Keeps a root for later snapshots in the same line, and may overwrite another tree's root.
    ///
    /// It does nothing while another thread writes the same entry.
    package func keep(
        _ root: TreeRoot, named name: ByteView, in catalog: PagePointer, line: Int
    ) {
        guard let entry = Self.entry(name, line) else { return }
        let version = words.loadRelaxed(entry + Entry.version)
        guard version & 1 == 0, words.exchange(version, for: version | 1, entry + Entry.version)
        else { return }
        store(catalog, entry + Entry.catalog)
        store(root, entry + Entry.root)
        words.storeRelaxed(UInt64(name.byteCount), entry + Entry.nameByteCount)
        for index in 0..<Self.wordCount(name) {
            words.storeRelaxed(Self.word(index, of: name), entry + Entry.name + 8 * index)
        }
        words.storeRelease(version &+ 2, entry + Entry.version)
    }

    /// The offset of the entry where a name is kept; `nil` for a long name, and for a line without
    /// entries.
    @inline(__always)
    private static func entry(_ name: ByteView, _ line: Int) -> Int? {
        let line = ReaderSlots.index(ofLine: line)
        guard name.byteCount <= nameByteLimit, line < ReaderSlots.firstLineCount else { return nil }
        let last = Int(name.load(UInt8.self, at: name.byteCount &- 1))
        let place = (name.byteCount &+ last) % perLine
        return (line &* perLine &+ place) &* entryByteCount
    }

    @inline(__always)
    private func isNamed(_ name: ByteView, _ entry: Int) -> Bool {
        guard words.loadRelaxed(entry + Entry.nameByteCount) == UInt64(name.byteCount) else {
            return false
        }
        for index in 0..<Self.wordCount(name)
        where words.loadRelaxed(entry + Entry.name + 8 * index) != Self.word(index, of: name) {
            return false
        }
        return true
    }

    @inline(__always)
    private static func wordCount(_ name: ByteView) -> Int { (name.byteCount &+ 7) / 8 }

    /// Eight bytes of a name; zeros follow its last byte.
    @inline(__always)
    private static func word(_ index: Int, of name: ByteView) -> UInt64 {
        let (start, left) = (8 &* index, name.byteCount &- 8 &* index)
        if left >= 8 { return name.load(UInt64.self, at: start) }
        return (0..<left).reduce(0) { word, place in
            word | UInt64(name.load(UInt8.self, at: start &+ place)) << (8 &* place)
        }
    }

    @inline(__always)
    private func pointer(_ offset: Int) -> PagePointer {
        PagePointer(
            number: words.loadRelaxed(offset), birth: words.loadRelaxed(offset + 8),
            check: words.loadRelaxed(offset + 16))
    }

    private func store(_ pointer: PagePointer, _ offset: Int) {
        words.storeRelaxed(pointer.number, offset)
        words.storeRelaxed(pointer.birth, offset + 8)
        words.storeRelaxed(pointer.check, offset + 16)
    }

    @inline(__always)
    private func root(_ offset: Int) -> TreeRoot {
        TreeRoot(
            pointer: pointer(offset),
            height: Int(truncatingIfNeeded: words.loadRelaxed(offset + 24)),
            entryCount: words.loadRelaxed(offset + 32), largeCount: words.loadRelaxed(offset + 40),
            number: words.loadRelaxed(offset + 48))
    }

    private func store(_ root: TreeRoot, _ offset: Int) {
        store(root.pointer, offset)
        words.storeRelaxed(UInt64(truncatingIfNeeded: root.height), offset + 24)
        words.storeRelaxed(root.entryCount, offset + 32)
        words.storeRelaxed(root.largeCount, offset + 40)
        words.storeRelaxed(root.number, offset + 48)
    }
}
