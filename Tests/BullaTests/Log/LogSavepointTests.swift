import Bulla
import BullaTestSupport
import Testing

/// Savepoints of a transaction whose changes go to the log, or to pages.
@Suite(.serialized) struct `A part of a transaction of a store with a log` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func open(
        _ kind: StoreKind = .gcm, _ name: String = "store", halfByteCount: UInt64 = 64 << 10
    ) throws -> Store {
        try kind.open(scratch.path(name), pageByteCount: 4096) {
            $0.fixLog(halfByteCount: halfByteCount)
        }
    }

    private struct Undo: Error {}

    /// A number that one process gives to a tree in an undone part is in no frame, so other
    /// processes give it to trees of their own.
    @Test func `gives numbers of trees that follow from the log alone`() throws {
        let stores = try (0..<2).map { _ in try open() }
        try stores[0].write { change in _ = try change.createTree(named: "a") }
        try stores[1].write { change in
            let tree = try change.tree(named: "a")
            #expect(throws: Undo.self) {
                try change.withSavepoint { change in
                    _ = try change.createTree(named: "undone")
                    throw Undo()
                }
            }
            try change.putNumbered(0..<1, in: tree)
        }
        var change = try stores[0].beginWrite()
        let tree = try change.createTree(named: "t")
        #expect(tree.number == 2)
        try change.putNumbered(0..<3, in: tree)
        #expect(try stores[1].checkpoint())
        try change.commit()
        for store in stores {
            let count = try store.read { try $0.count(of: try $0.tree(named: "t")) }
            #expect(count == 3)
        }
        #expect(try stores[0].checkpoint())
        #expect(try stores[1].check().isSound)
        for store in stores { try store.close() }
    }

    /// A handle that was obtained while the part changed pages is of no use once the part is
    /// undone: it names neither its own tree nor another.
    @Test func `refuses trees of a part that changed pages and was undone`() throws {
        let store = try open()
        try store.write { change in
            let tree = try change.createTree(named: "t")
            var gone: [Tree] = []
            #expect(throws: Undo.self) {
                try change.withSavepoint { change in
                    try change.putNumbered(0..<3000, in: tree)
                    gone = try (0..<3).map { try change.createTree(named: "gone \($0)") }
                    throw Undo()
                }
            }
            let other = try change.createTree(named: "other")
            #expect(!gone.map(\.number).contains(other.number))
            for tree in gone {
                let errors = [
                    #expect(throws: BullaError.self) { try change.count(of: tree) },
                    #expect(throws: BullaError.self) { try change.putNumbered(0..<1, in: tree) },
                ]
                #expect(errors.allSatisfy { $0?.code == .treeNotFound })
            }
            #expect(try change.count(of: other) == 0)
            #expect(try change.count(of: tree) == 0)
            try change.putNumbered(0..<2, in: other)
        }
        #expect(try LogModel(store).names.count == 2)
        try store.close()
    }

    /// Each part copies index pages of the part before it.
    ///
    /// Long before the log is full, these copies add up to more than a memtable may have.
    @Test func `changes pages where its parts leave no memory to index them`() throws {
        let store = try open(halfByteCount: 4 << 20)
        let count = 34_000
        try store.write { change in
            let tree = try change.createTree(named: "t")
            for key in 0..<count {
                try change.withSavepoint { change in
                    try change.putNumbered(key..<key + 1, in: tree, byteCount: 1)
                }
            }
            #expect(try change.count(of: tree) == count)
        }
        #expect(try LogModel(store).trees[1]?.count == count)
        try store.close()
    }
}
