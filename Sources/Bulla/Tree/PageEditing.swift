internal import BullaMemory

/// The pages of a write in progress, as a ``TreeEditor`` reads and changes them.
///
/// A changed page belongs to the write, which identifies the page by an index. A pointer to the
/// page carries that index and the write's token. The write also numbers the trees that it has
/// opened.
protocol PageEditing: AnyObject, PageSource {
    /// The memory for changed pages, and scratch memory.
    var memory: WriterMemory { get }
    /// The number of the commit that the write will become, which is also the birth of every page
    /// that it makes.
    var commit: UInt64 { get }
    /// The token that marks pointers to changed pages.
    var dirtyToken: UInt64 { get }
    /// The path of the current operation, from the root to a leaf.
    var path: [EditStep] { get set }
    /// The root of a tree.
    subscript(rootOf tree: Int) -> TreeRoot { get set }
    /// Notes that a tree's root differs from its record in the catalog.
    func markChanged(_ tree: Int)

    /// Makes a changed page to which nothing refers yet; its bytes are undefined.
    func makePage(_ kind: PageKind, level: Int, in tree: Int) throws(BullaError) -> Int
    /// Returns the index of a changeable copy of a tree's page, or the page's own index if it can
    /// be changed in place.
    func writable(_ pointer: PagePointer, level: Int, in tree: Int) throws(BullaError) -> Int
    /// Frees a changed page to which nothing refers any more.
    func dropPage(_ index: Int)
    /// Frees a page to which the tree no longer refers.
    func release(_ pointer: PagePointer)

    /// Makes sure that this many pages can be taken.
    func reservePages(_ count: UInt64) throws(BullaError)
    /// Takes the number of a reserved page.
    func takePage() -> UInt64
    /// Seals the changed pages, and writes them.
    var writer: ChangeWriter { get }
}

/// A step of the path to an entry: the index of a changed page, and an index in that page.
///
/// In a branch, the index in the page names the child to which the path leads. In a leaf, it names
/// the first entry whose key is not less than the sought key; if there is no such entry, it is the
/// number of entries.
struct EditStep {
    var page: Int
    var index: Int
}

extension PageEditing {
    /// The bytes of a changed page.
    @inline(__always)
    func bytes(_ index: Int) -> MutableByteView { memory.arena.page(index) }

    /// The properties of a changed page.
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

    /// An editor that puts and deletes entries of a tree.
    @inline(__always)
    func editor(of tree: Int) -> TreeEditor<Self> { TreeEditor(pages: self, tree: tree) }

    /// Refuses a page that points to younger pages.
    ///
    /// Freeing pages relies on this check: if a pointer says that its page was born in this commit,
    /// the space keeper believes that this change made the page. A forged pointer can say so too,
    /// but then it is in an older page, which this check refuses.
    func checkBirths(_ page: TreePage, _ pointer: PagePointer) throws(BullaError) {
        let birth = pointer.dirtyIndex(token: dirtyToken) == nil ? pointer.birth : commit
        guard page.namesNoPage(youngerThan: birth) else { throw namesYounger(pointer) }
    }
}
