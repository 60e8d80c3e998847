internal import BullaMemory

/// A new version of a memtable, while it is being made.
///
///     editing --publish()--> a version
///        |    --goes away--> nothing: its pages and operations are free again
///        +--- mark(), cut(to:): back to what it was
///
/// A page is copied at its first change, and from then on changed in place. After a mark, a page
/// made before the mark is copied again when it next changes. So going back to the mark means
/// taking up the mark's root again, and freeing the pages made since.
///
/// A call that throws leaves the edit as it was.
package struct MemtableEdit: ~Copyable {
    let memtable: Memtable
    let space: MemtableSpace
    var writer: MemtableWriter
    /// Pages with this birth are the edit's own, made since the last mark.
    private var stamp: UInt32
    /// The directory's root.
    var root: UInt32
    private let formerRoot: UInt32
    /// The page made last, which leads to the pages made before it.
    private var made: UInt32 = 0
    private var superseded = IndexPageList()
    private let formerOperationEnd: Int
    private var isPublished = false

    init(_ memtable: Memtable, _ writer: MemtableWriter) {
        let newest = memtable.newest
        (self.memtable, self.writer) = (memtable, writer)
        space = memtable.space
        stamp = newest.stamp + 1
        root = newest.root
        formerRoot = newest.root
        formerOperationEnd = writer.operationEnd
    }

    deinit {
        var writer = self.writer
        if !isPublished {
            Self.free(madeFrom: made, downTo: 0, &writer, space)
            writer.operationEnd = formerOperationEnd
        }
        memtable.takeBack(writer)
    }

    /// The memtable with the edit's changes so far.
    ///
    /// The view is valid until the next change. If a mark is set after the view was taken, the view
    /// is valid until the edit ends or is cut to an earlier mark.
    package var view: MemtableView { MemtableView(space: space, root: root) }

    /// Publishes the version, which is the newest one from now on.
    ///
    /// If nothing was changed, it returns the version that the edit began from.
    package consuming func publish() -> MemtableVersion {
        guard root != formerRoot else { return memtable.newest }
        let version = MemtableVersion(stamp: stamp, root: root)
        writer.pages.supersede(superseded, by: stamp, space)
        isPublished = true
        memtable.versions.publish(version)
        return version
    }

    /// Marks the present state of the edit, so that the edit can go back to it.
    package mutating func mark() throws(MemtableError) -> MemtableMark {
        guard stamp < .max - 1 else { throw .versionsUsedUp }
        stamp += 1
        return MemtableMark(
            root: root, made: made, superseded: superseded, operationEnd: writer.operationEnd)
    }

    /// Goes back to a mark of this edit; the mark stays valid, those set after it do not.
    package mutating func cut(to mark: MemtableMark) {
        Self.free(madeFrom: made, downTo: mark.made, &writer, space)
        (root, made, superseded) = (mark.root, mark.made, mark.superseded)
        writer.operationEnd = mark.operationEnd
    }

    private static func free(
        madeFrom first: UInt32, downTo last: UInt32, _ writer: inout MemtableWriter,
        _ space: MemtableSpace
    ) {
        var number = first
        // In a forked child, the pages hold zeros, so the number becomes 0 and never `last`.
        while number != last, number != 0 {
            let page = space.page(number)
            number = page.madeBefore
            writer.pages.giveBack(page)
        }
    }

    /// Makes a page of the edit's own, with undefined entries.
    mutating func makePage() throws(MemtableError) -> IndexPage {
        let page = space.page(try writer.takePage(memtable))
        page.setBirth(stamp)
        page.setMadeBefore(made)
        made = page.number
        return page
    }

    mutating func makePage(level: Int, prefix: Int = 0) throws(MemtableError) -> IndexPage {
        let page = try makePage()
        page.clear(level: level, prefix: prefix)
        return page
    }

    /// Returns a page that can be changed: the page with that number, or a copy of it.
    @inline(__always)
    mutating func own(_ number: UInt32) throws(MemtableError) -> IndexPage {
        let page = space.page(number)
        page.prefetch()
        return page.birth == stamp ? page : try copy(page)
    }

    /// Returns a child that can be changed, and makes its parent lead to it.
    @inline(__always)
    mutating func ownChild(
        _ index: Int, of parent: IndexPage
    ) throws(MemtableError) -> IndexPage {
        let number = parent.child(index)
        let page = try own(number)
        if page.number != number { parent.setChild(index, page.number) }
        return page
    }

    private mutating func copy(_ page: IndexPage) throws(MemtableError) -> IndexPage {
        let copy = try makePage()
        copy.copy(page)
        page.setSuperseded(stamp)
        superseded.push(page)
        return copy
    }
}

/// A state of a ``MemtableEdit``.
package struct MemtableMark {
    let root: UInt32
    let made: UInt32
    let superseded: IndexPageList
    let operationEnd: Int
}
