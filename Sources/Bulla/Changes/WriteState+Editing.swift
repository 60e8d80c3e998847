internal import BullaMemory

/// What putting and deleting in a tree ask beyond what a write transaction has anyway.
extension WriteState: PageEditing {
    subscript(rootOf tree: Int) -> TreeRoot {
        @inline(__always) get { trees[tree].root }
        @inline(__always) set { trees[tree].root = newValue }
    }

    func markChanged(_ tree: Int) { trees[tree].isChanged = true }

    @inline(__always)
    func kind(of index: Int) -> PageKind { dirty(index).kind }

    @inline(__always)
    func level(of index: Int) -> Int { dirty(index).level }

    var pageScratch: MutableByteView { memory.pageScratch }
    var keyScratch: MutableByteView { memory.keyScratch }

    func valueBuffer(pageCount: Int) throws(BullaError) -> MutableByteView {
        try memory.valueBuffer(pageCount: pageCount)
    }

    func takePage() -> UInt64 { space.takePage() }
}
