internal import BullaMemory

extension IndexPage {
    var capacity: Int { isLeaf ? IndexPageLayout.leafCapacity : IndexPageLayout.branchCapacity }
    var isFull: Bool { count == capacity }

    func setBirth(_ version: UInt32) { bytes.store(version, at: IndexPageLayout.birth) }
    func setSuperseded(_ version: UInt32) { bytes.store(version, at: IndexPageLayout.superseded) }
    func setMadeBefore(_ page: UInt32) { bytes.store(page, at: IndexPageLayout.madeBefore) }
    func setNext(_ page: UInt32) { bytes.store(page, at: IndexPageLayout.next) }
    func setCount(_ count: Int) { bytes.store(UInt16(count), at: IndexPageLayout.count) }
    func setPrefix(_ byteCount: Int) {
        bytes.store(UInt16(byteCount), at: IndexPageLayout.prefix)
    }

    func setSlot(_ index: Int, _ head: UInt32, _ reference: UInt32) {
        bytes.store(head, at: Self.slot(index))
        bytes.store(reference, at: Self.slot(index) + 4)
    }

    func setChild(_ index: Int, _ child: UInt32) {
        bytes.store(child, at: IndexPageLayout.children + index * IndexPageLayout.childByteCount)
    }

    func clear(level: Int, prefix: Int) {
        bytes.store(UInt16(0), at: IndexPageLayout.count)
        bytes.store(UInt16(level), at: IndexPageLayout.level)
        bytes.store(UInt16(prefix), at: IndexPageLayout.prefix)
    }

    /// Copies the content of another page.
    func copy(_ other: IndexPage) {
        let count = other.count
        let first = IndexPageLayout.count
        bytes.copy(other.bytes.view.slice(first, Self.slot(count) - first), to: first)
        guard !other.isLeaf else { return }
        let children = IndexPageLayout.children
        bytes.copy(
            other.bytes.view.slice(children, count * IndexPageLayout.childByteCount), to: children)
    }

    /// Makes room for an entry.
    private func open(_ index: Int) {
        let count = count
        bytes.move(
            from: Self.slot(index), to: Self.slot(index + 1),
            count: (count - index) * IndexPageLayout.slotByteCount)
        setCount(count + 1)
    }

    func insert(_ index: Int, _ head: UInt32, _ reference: UInt32) {
        invariant(isLeaf && !isFull, "a leaf has room for what goes into it")
        open(index)
        setSlot(index, head, reference)
    }

    func insert(_ index: Int, _ head: UInt32, _ reference: UInt32, child: UInt32) {
        invariant(!isLeaf && !isFull, "a branch has room for what goes into it")
        let width = IndexPageLayout.childByteCount
        let at = IndexPageLayout.children + index * width
        bytes.move(from: at, to: at + width, count: (count - index) * width)
        open(index)
        setSlot(index, head, reference)
        setChild(index, child)
    }

    /// Moves the entries from `index` onward to an empty page.
    func moveEntries(from index: Int, to other: IndexPage) {
        let moved = count - index
        other.bytes.copy(
            bytes.view.slice(Self.slot(index), moved * IndexPageLayout.slotByteCount),
            to: Self.slot(0))
        if !isLeaf {
            let width = IndexPageLayout.childByteCount
            let children = IndexPageLayout.children
            other.bytes.copy(
                bytes.view.slice(children + index * width, moved * width), to: children)
        }
        other.setCount(moved)
        setCount(index)
    }
}

extension IndexPage {
    /// Inserts a tree into a page of the directory.
    func insert(_ index: Int, _ tree: UInt64, child: UInt32) {
        insert(
            index, UInt32(truncatingIfNeeded: tree), UInt32(truncatingIfNeeded: tree >> 32),
            child: child)
    }
}
