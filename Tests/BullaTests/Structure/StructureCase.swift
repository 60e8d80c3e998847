import Bulla
import BullaTestSupport
import Testing

/// Wrong structure in pages whose checksums are correct.
struct StructureCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let forge: @Sendable (inout StoreForge) throws -> Void

    init(_ name: String, _ forge: @escaping @Sendable (inout StoreForge) throws -> Void) {
        testDescription = name
        self.forge = forge
    }

    static let all =
        leaves + slots + branches + values + records + metas + [
            shared("empty pages shared by the thousand", leaf: ForgedPage.leaf([]), width: 60)
        ]

    private static let sound = ForgedPage.leaf(["b", "c", "m"])

    /// A leaf that is sound except for the changes.
    private static func leaf(
        _ name: String, _ change: @escaping @Sendable (inout [UInt8]) -> Void
    ) -> StructureCase {
        StructureCase(name) { forge in
            var content = sound
            change(&content)
            try forge.finish(try forge.tree(content))
        }
    }

    private static let leaves = [
        leaf("nothing wrong") { _ in },
        leaf("count overflows") { $0.store(UInt16.max, at: 2) },
        leaf("count is zero") { $0.store(UInt16(0), at: 2) },
        leaf("count is one less") { $0.store(UInt16(2), at: 2) },
        leaf("cells begin at zero") { $0.store(UInt16(0), at: 4) },
        leaf("cells begin past the page") { $0.store(UInt16.max, at: 4) },
        leaf("unused bytes overflow") { $0.store(UInt16.max, at: 6) },
        leaf("prefix overflows") { $0.store(UInt16.max, at: 8) },
        leaf("prefix is longer than the keys") { $0.store(UInt16(2), at: 8) },
        leaf("is of another level") { $0[1] = 3 },
        leaf("says another kind") { $0[0] = 2 },
        StructureCase("keys out of order") { forge in
            try forge.finish(try forge.tree(ForgedPage.leaf(["m", "b", "c", "a", "z"])))
        },
        StructureCase("keys out of order around those that are changed") { forge in
            try forge.finish(try forge.tree(ForgedPage.leaf(["a", "zz", "n"])))
        },
        StructureCase("keys twice") { forge in
            try forge.finish(try forge.tree(ForgedPage.leaf(["b", "b", "b", "c"])))
        },
        StructureCase("an empty key") { forge in
            try forge.finish(try forge.tree(ForgedPage.leaf(["", "b"])))
        },
        StructureCase("a key above the limit") { forge in
            let long = String(repeating: "c", count: 2000)
            try forge.finish(try forge.tree(ForgedPage.leaf(["b", long])))
        },
    ]

    private static let slots: [StructureCase] = [
        leaf("a cell past the page") { $0.store(UInt16.max, at: 28) },
        leaf("a cell at the page's end") { $0.store(UInt16(4063), at: 28) },
        leaf("a cell in the header") { $0.store(UInt16(0), at: 28) },
        leaf("a cell in the slots") { $0.store(UInt16(20), at: 28) },
        leaf("two slots with one cell") { $0.store($0.load(UInt16.self, at: 20), at: 28) },
        leaf("overlapping cells") { $0.store($0.load(UInt16.self, at: 20) - 2, at: 28) },
        leaf("a key that overflows") { $0.store(UInt16.max, at: 30) },
        leaf("a key of no bytes") { $0.store(UInt16(0), at: 30) },
        leaf("heads that are not of their keys") { $0.store(UInt32(1), at: 24) },
        leaf("heads that are all one") { content in
            for slot in [16, 24, 32] { content.store(UInt32.max, at: slot) }
        },
        leaf("a value that overflows") { content in
            let cell = Int(content.load(UInt16.self, at: 28))
            content.store(UInt32(0x7FFF_FFFF), at: cell)
        },
        leaf("a large value without its descriptor") { content in
            let cell = Int(content.load(UInt16.self, at: 20))
            content.store(UInt32.max, at: cell)
        },
    ]

    private static let branches: [StructureCase] = [
        StructureCase("a branch without children") { forge in
            let root = try forge.add(ForgedPage.branch([], level: 1))
            try forge.finish(forge.root(root, height: 2))
        },
        StructureCase("a branch without children, but for their slots") { forge in
            var content = ForgedPage.branch([("", try forge.add(sound))], level: 1)
            content.store(UInt16(0), at: 2)
            content.store(UInt16(ForgedPage.byteCount) - content.load(UInt16.self, at: 4), at: 6)
            try forge.finish(forge.root(try forge.add(content), height: 2))
        },
        StructureCase("a branch that overflows") { forge in
            let child = try forge.add(sound)
            var content = ForgedPage.branch([("", child)], level: 1)
            content.store(UInt16.max, at: 2)
            try forge.finish(forge.root(try forge.add(content), height: 2))
        },
        StructureCase("separators out of order") { forge in
            let (left, right) = (try forge.add(sound), try forge.add(ForgedPage.leaf(["x", "y"])))
            let root = try forge.add(
                ForgedPage.branch([("", left), ("z", right), ("b", left)], level: 1))
            try forge.finish(forge.root(root, height: 2))
        },
        StructureCase("leaves out of order") { forge in
            let (left, right) = (try forge.add(ForgedPage.leaf(["m", "n"])), try forge.add(sound))
            let root = try forge.add(ForgedPage.branch([("", left), ("d", right)], level: 1))
            try forge.finish(forge.root(root, height: 2))
        },
        StructureCase("an empty leaf among others") { forge in
            let (empty, leaf) = (try forge.add(ForgedPage.leaf([])), try forge.add(sound))
            let root = try forge.add(
                ForgedPage.branch([("", empty), ("b", leaf), ("n", empty)], level: 1))
            try forge.finish(forge.root(root, height: 2))
        },
        StructureCase("a first separator that is not empty") { forge in
            let leaf = try forge.add(sound)
            let root = try forge.add(ForgedPage.branch([("c", leaf), ("d", leaf)], level: 1))
            try forge.finish(forge.root(root, height: 2))
        },
        StructureCase("two children in one cell") { forge in
            let (left, right) = (try forge.add(sound), try forge.add(ForgedPage.leaf(["x", "y"])))
            var content = ForgedPage.branch([("", left), ("n", right), ("z", right)], level: 1)
            content.store(content.load(UInt16.self, at: 28), at: 20)
            try forge.finish(forge.root(try forge.add(content), height: 2))
        },
        StructureCase("a child at the wrong level") { forge in
            let leaf = try forge.add(sound)
            let root = try forge.add(ForgedPage.branch([("", leaf), ("d", leaf)], level: 5))
            try forge.finish(forge.root(root, height: 6))
        },
        shared("pages shared by the thousand", leaf: sound, width: 60),
        shared("branches of one child", leaf: sound, width: 1),
        pointer("to no page", 0), pointer("to the header", 1), pointer("past the file", 100_000),
        pointer("past any file", .max), pointer("marked as changed", 1 << 63 | 5),
        pointer("marked as changed, far out", 1 << 63 | 1 << 40), pointer("to 2^32", 1 << 32),
        pointer("to a page of a commit to come", 5, birth: .max),
        // The next commit treats pages born in it as its own.
        pointer("to a page of the next commit", 5, birth: StoreForge.commit + 1),
        pointer("to no page, of the next commit", .max, birth: StoreForge.commit + 1),
        StructureCase("a root of the next commit") { forge in
            var root = forge.root(try forge.add(sound), height: 1)
            root.pointer.birth = StoreForge.commit + 1
            try forge.finish(root)
        },
        StructureCase("a value of the next commit") { forge in
            let wrong = PagePointer(number: .max, birth: StoreForge.commit + 1, check: 1)
            let words = UInt64(10_000).bytes + UInt64(1).bytes + ForgedPage.pointer(wrong)
            let leaf = ForgedPage.leaf([(Array("b".utf8), ForgedPage.largeMark | 40, words)])
            try forge.finish(forge.root(try forge.add(leaf), height: 1, largeCount: 1))
        },
        StructureCase("a value with a part of the next commit") { forge in
            let wrong = PagePointer(number: .max, birth: StoreForge.commit + 1, check: 1)
            let index = try forge.add(ForgedPage.index([wrong], level: 1))
            let words = UInt64(4000).bytes + UInt64(1).bytes + ForgedPage.pointer(index)
            let leaf = ForgedPage.leaf([(Array("b".utf8), ForgedPage.largeMark | 40, words)])
            try forge.finish(forge.root(try forge.add(leaf), height: 1, largeCount: 1))
        },
    ]

    /// A tree of height 12, each of whose branches points at one child repeatedly.
    private static func shared(_ name: String, leaf: [UInt8], width: Int) -> StructureCase {
        StructureCase(name) { forge in
            var pointer = try forge.add(leaf)
            for level in 1..<12 {
                let children = (0..<width).map { index in
                    (key: index == 0 ? "" : "k\(index + 100)", pointer: pointer)
                }
                pointer = try forge.add(ForgedPage.branch(children, level: UInt8(level)))
            }
            try forge.finish(forge.root(pointer, height: 12))
        }
    }

    /// A branch with a wrong pointer.
    private static func pointer(
        _ name: String, _ number: UInt64, birth: UInt64 = StoreForge.commit
    ) -> StructureCase {
        StructureCase("a pointer \(name)") { forge in
            let wrong = PagePointer(number: number, birth: birth, check: 1)
            let leaf = try forge.add(sound)
            let root = try forge.add(
                ForgedPage.branch([("", leaf), ("c", wrong), ("m", leaf)], level: 1))
            try forge.finish(forge.root(root, height: 2))
        }
    }
}
