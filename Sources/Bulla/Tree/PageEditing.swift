internal import BullaMemory

/// Pages that may be changed: what a ``TreeEditor`` asks of a write in progress.
///
/// A changed page belongs to the write, which knows it by an index. A pointer to it carries that
/// index, and the write's token. Trees go by the write's numbers for them.
protocol PageEditing: AnyObject, PageSource {
    /// Where changed pages lie, and scratch room.
    var memory: WriterMemory { get }
    /// The number that the change will have: no page that it makes is older.
    var commit: UInt64 { get }
    /// Marks pointers to changed pages.
    var dirtyToken: UInt64 { get }
    /// The way to the leaf of the operation that is under way, from the root.
    var path: [EditStep] { get set }
    /// A tree's root.
    subscript(rootOf tree: Int) -> TreeRoot { get set }
    /// Says that a tree is not what the catalog says of it.
    func markChanged(_ tree: Int)

    /// A changed page that nothing refers to yet; its bytes are whatever they were.
    func makePage(_ kind: PageKind, level: Int, in tree: Int) throws(BullaError) -> Int
    /// A changed copy of a tree's page, or the page itself where it is a changed one.
    func writable(_ pointer: PagePointer, level: Int, in tree: Int) throws(BullaError) -> Int
    /// Forgets a changed page that nothing refers to any more.
    func dropPage(_ index: Int)
    /// Gives up a page that the tree no longer refers to.
    func release(_ pointer: PagePointer)

    /// Sees to it that so many pages can be taken.
    func reservePages(_ count: UInt64) throws(BullaError)
    /// Takes the number of a page that was reserved.
    func takePage() -> UInt64
    /// What seals pages of the write.
    var writer: ChangeWriter { get }
}

/// A page on the way to a leaf, by its index as a changed one, and where the way goes on in it.
struct EditStep {
    var page: Int
    var index: Int
}

extension PageEditing {
    /// The bytes of a changed page.
    @inline(__always)
    func bytes(_ index: Int) -> MutableByteView { memory.arena.page(index) }

    /// What a changed page is.
    @inline(__always)
    func dirty(_ index: Int) -> DirtyPage { memory.dirty(index) }

    @inline(__always)
    func kind(of index: Int) -> PageKind { dirty(index).kind }

    @inline(__always)
    func level(of index: Int) -> Int { dirty(index).level }

    @inline(__always)
    func page(_ index: Int) -> TreePage { TreePage(bytes(index).view, kind(of: index)) }

    @inline(__always)
    func editor(_ index: Int) -> TreePageEditor { TreePageEditor(bytes(index), kind(of: index)) }

    /// What puts and deletes entries of a tree.
    @inline(__always)
    func editor(of tree: Int) -> TreeEditor<Self> { TreeEditor(pages: self, tree: tree) }

    /// Refuses a page that names younger ones.
    ///
    /// Giving up pages rests on it: what was born in this commit is this change's own.
    func checkBirths(_ page: TreePage, _ pointer: PagePointer) throws(BullaError) {
        let birth = pointer.dirtyIndex(token: dirtyToken) == nil ? pointer.birth : commit
        guard page.namesNoPage(youngerThan: birth) else { throw namesYounger(pointer) }
    }
}
