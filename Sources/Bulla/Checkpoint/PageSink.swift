internal import BullaMemory

/// The pages that a merge makes, in memory until they are sealed in bulk, children before parents.
///
/// A page is open while cells are added, then closed. When there is no room for one more page, the
/// sink seals all closed pages, level by level, and puts their pointers into the pages that name
/// them. Sealing uses every core, and another thread writes what was sealed.
final class PageSink {
    private struct Slot {
        var kind: PageKind
        var level: Int
        var separatorByteCount: Int
        var state: State
    }

    private enum State { case unused, open, closed }

    let pager: Pager
    let exchange: any PageExchange
    /// Random bits by which the sink recognizes its pointers to pages in memory.
    private let token: UInt64
    private let contents: ScratchBuffer
    /// Room for a separator for each page.
    private let separators: ScratchBuffer
    private var slots: [Slot]
    private var unused: [Int]
    /// The closed pages by level, in key order.
    private var closed: [[Int]] = []
    /// The pointers of the pages that were sealed last, by slot.
    private var sealed: [PagePointer]
    private var writer: PageSealer?
    /// How many of the next pages to be sealed are also cached for readers.
    ///
    /// The merge adds one for each replaced page that was in memory. So the cache does not grow,
    /// and pages that nobody reads exist only in the file.
    var keepCount = 0

    /// The number of slots; it is greater than the number of pages that can be open at once (two
    /// per level of the highest possible tree, and a new one).
    private static let slotCount = 2 * PageFormat.heightLimit + PageSealer.stagingPageCount / 2

    init(_ pager: Pager, _ exchange: any PageExchange, token: UInt64) throws(BullaError) {
        self.pager = pager
        self.exchange = exchange
        self.token = token
        let format = pager.format
        contents = try Buffer.make(Self.slotCount * format.pageByteCount)
        separators = try Buffer.make(Self.slotCount * format.keyByteLimit)
        let slot = Slot(kind: .leaf, level: 0, separatorByteCount: 0, state: .unused)
        slots = [Slot](repeating: slot, count: Self.slotCount)
        sealed = [PagePointer](repeating: .none, count: Self.slotCount)
        unused = Array((0..<Self.slotCount).reversed())
    }

    var format: PageFormat { pager.format }

    private func content(_ slot: Int) -> MutableByteView {
        contents.bytes.slice(slot * format.pageByteCount, format.contentByteCount)
    }

    func page(_ slot: Int) -> TreePage { TreePage(content(slot).view, slots[slot].kind) }

    func editor(_ slot: Int) -> TreePageEditor {
        TreePageEditor(content(slot), slots[slot].kind)
    }

    func usedByteCount(_ slot: Int) -> Int {
        page(slot).usedByteCount(contentByteCount: format.contentByteCount)
    }

    func pointer(_ slot: Int) -> PagePointer { .dirty(slot, token: token) }

    /// The slot of the page that a pointer names, if that page is in memory.
    func slot(_ pointer: PagePointer) -> Int? { pointer.dirtyIndex(token: token) }

    /// The key that separates a page from the page to its left.
    func separator(_ slot: Int) -> ByteView {
        separators.bytes.view.slice(
            slot * format.keyByteLimit, slots[slot].separatorByteCount)
    }

    func setSeparator(_ slot: Int, _ separator: ByteView) {
        invariant(separator.byteCount <= format.keyByteLimit, "a separator is no longer than keys")
        separators.bytes.copy(separator, to: slot * format.keyByteLimit)
        slots[slot].separatorByteCount = separator.byteCount
    }

    /// Makes an open page without cells.
    func make(level: Int, separator: ByteView) throws(BullaError) -> Int {
        if unused.isEmpty { try sealClosed() }
        guard let slot = unused.popLast() else {
            preconditionFailure("fewer pages are open than there is room for")
        }
        invariant(slots[slot].state == .unused, "a page that is begun was unused")
        let kind: PageKind = level == 0 ? .leaf : .branch
        slots[slot] = Slot(kind: kind, level: level, separatorByteCount: 0, state: .open)
        setSeparator(slot, separator)
        editor(slot).clear(level: level)
        return slot
    }

    /// Closes a page; from now on, only the pointers to its children change.
    func close(_ slot: Int) {
        precondition(slots[slot].state == .open, "a page is closed once")
        slots[slot].state = .closed
        let level = slots[slot].level
        while closed.count <= level { closed.append([]) }
        closed[level].append(slot)
    }

    /// Forgets a page that nothing refers to.
    func drop(_ slot: Int) {
        invariant(slots[slot].state != .unused, "a page is dropped once")
        if slots[slot].state == .closed { closed[slots[slot].level].removeAll { $0 == slot } }
        slots[slot].state = .unused
        unused.append(slot)
    }

    /// Seals and writes all pages, and returns the pointer to the root.
    func finish(_ root: PagePointer) throws(BullaError) -> PagePointer {
        if let slot = slot(root), slots[slot].state == .open { close(slot) }
        try sealClosed()
        invariant(unused.count == slots.count, "every page of a merge was closed or dropped")
        try writer?.finish()
        writer = nil
        let finished = resolved(root)
        invariant(slot(finished) == nil, "a tree that is finished names no page in memory")
        return finished
    }

    private func resolved(_ pointer: PagePointer) -> PagePointer {
        slot(pointer).map { sealed[$0] } ?? pointer
    }

    private func sealClosed() throws(BullaError) {
        let count = closed.reduce(0) { $0 + $1.count }
        guard count > 0 else { return }
        try exchange.reservePages(UInt64(count))
        if writer == nil { writer = try exchange.writer.take() }
        for level in closed.indices { try seal(closed[level]) }
        for slot in slots.indices where slots[slot].state == .open { nameChildren(slot) }
        for slot in closed.joined() {
            slots[slot].state = .unused
            unused.append(slot)
        }
        for level in closed.indices { closed[level].removeAll(keepingCapacity: true) }
    }

    /// Seals pages whose children are sealed.
    private func seal(_ list: [Int]) throws(BullaError) {
        for slot in list {
            invariant(slots[slot].state == .closed, "a page is closed before it is sealed")
            nameChildren(slot)
            try writer?.add(content(slot).view, slots[slot].kind, number: exchange.takePage())
        }
        let pointers = try writer?.seal() ?? []
        invariant(pointers.count == list.count, "each page that was sealed has a pointer")
        for (slot, pointer) in zip(list, pointers) {
            page(slot).checkInvariants(
                slots[slot].kind, level: slots[slot].level, birth: pointer.birth,
                contentByteCount: format.contentByteCount, isChanged: { self.slot($0) != nil })
            sealed[slot] = pointer
            guard keepCount > 0 else { continue }
            keepCount -= 1
            exchange.keep(content(slot).view, as: pointer)
        }
    }

    /// Puts the pointers of sealed children into a page.
    private func nameChildren(_ slot: Int) {
        guard slots[slot].level > 0 else { return }
        let (page, editor) = (page(slot), editor(slot))
        for index in 0..<page.count {
            guard let child = self.slot(page.child(index)), slots[child].state == .closed else {
                continue
            }
            invariant(
                slots[child].level == slots[slot].level - 1, "a branch names the level below it")
            editor.setChild(index, sealed[child])
        }
    }

    /// Seals pages whose contents the caller holds; the sink's closed pages stay unsealed.
    func write(
        _ contents: [ByteView], _ kind: PageKind
    ) throws(BullaError) -> [PagePointer] {
        try exchange.reservePages(UInt64(contents.count))
        if writer == nil { writer = try exchange.writer.take() }
        for content in contents {
            try writer?.add(content, kind, number: exchange.takePage())
        }
        return try writer?.seal() ?? []
    }
}
