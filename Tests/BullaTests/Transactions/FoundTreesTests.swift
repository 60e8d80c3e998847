import Bulla
import BullaMemory
import BullaTestSupport
import Dispatch
import Testing

/// The trees that snapshots have found are kept for later snapshots.
@Suite struct `Found trees` {
    private let owner: Owner

    private final class Owner: Sendable {
        let found: FoundTrees

        init() throws { found = try FoundTrees() }
    }

    init() throws { owner = try Owner() }

    private static func catalog(_ number: UInt64 = 7) -> PagePointer {
        PagePointer(number: number, birth: 2, check: 3)
    }

    private static func tree(_ number: UInt64) -> TreeRoot {
        var root = TreeRoot.empty(number: number)
        root.pointer = PagePointer(number: 10 + number, birth: 20 + number, check: 30 + number)
        (root.height, root.entryCount) = (Int(40 + number), 50 + number)
        root.largeCount = 60 + number
        return root
    }

    private func keep(
        _ number: UInt64, _ name: [UInt8], _ catalog: PagePointer = Self.catalog(), line: Int = 0
    ) {
        name.withView { name in
            owner.found.keep(Self.tree(number), named: name, in: catalog, line: 64 * line)
        }
    }

    private func root(
        _ name: [UInt8], _ catalog: PagePointer = Self.catalog(), line: Int = 0
    ) -> TreeRoot? {
        name.withView { owner.found.root(named: $0, in: catalog, line: 64 * line) }
    }

    @Test func `are found in their catalog and line only`() {
        let name = Array("notes".utf8)
        keep(1, name)
        #expect(root(name) == Self.tree(1))
        #expect(root(name, Self.catalog(8)) == nil)
        #expect(root(name, line: 1) == nil)
    }

    @Test func `of a line without room are not kept`() {
        keep(1, Array("notes".utf8), line: 1_000)
        #expect(root(Array("notes".utf8), line: 1_000) == nil)
    }

    @Test func `have names of up to 48 bytes, of which each byte counts`() {
        for count in 1...60 {
            let name = (0..<count).map { UInt8(count + $0) }
            keep(UInt64(count), name)
            #expect(root(name) == (count <= 48 ? Self.tree(UInt64(count)) : nil))
            for place in name.indices {
                var other = name
                other[place] ^= 0x80
                #expect(root(other) == nil)
            }
            #expect(root(name + [0]) == nil)
            #expect(root(name.dropLast()) == nil)
        }
    }

    @Test func `give way to trees whose names share their place`() {
        keep(1, Array("a".utf8))
        keep(2, Array("e".utf8))
        #expect(root(Array("e".utf8)) == Self.tree(2))
        #expect(root(Array("a".utf8)) == nil)
        keep(3, Array("e".utf8), Self.catalog(8))
        #expect(root(Array("e".utf8)) == nil)
        #expect(root(Array("e".utf8), Self.catalog(8)) == Self.tree(3))
    }

    @Test func `are gone when they are wiped`() {
        keep(1, Array("notes".utf8))
        owner.found.wipe()
        #expect(root(Array("notes".utf8)) == nil)
    }

    @Test func `take any root that a catalog can hold`() {
        var root = TreeRoot.empty(number: .max)
        root.pointer = PagePointer(number: .max, birth: .max, check: .max)
        (root.height, root.entryCount, root.largeCount) = (-1, .max, .max)
        Array("notes".utf8).withView {
            owner.found.keep(root, named: $0, in: Self.catalog(), line: 0)
        }
        #expect(self.root(Array("notes".utf8)) == root)
    }

    @Test func `are whole for threads that share a snapshot`() {
        DispatchQueue.concurrentPerform(iterations: 4) { [owner] thread in
            for step in 0..<20_000 {
                // All names share a place.
                let number = UInt64((thread + step) % 5)
                let name: [UInt8] = [97, UInt8(4 * number)]
                name.withView { name in
                    let root = owner.found.root(named: name, in: Self.catalog(), line: 0)
                    guard let root else {
                        return owner.found.keep(
                            Self.tree(number), named: name, in: Self.catalog(), line: 0)
                    }
                    if root != Self.tree(number) { Issue.record("a root of another tree") }
                }
            }
        }
    }
}
