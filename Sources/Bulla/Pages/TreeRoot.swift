package import BullaMemory

/// The root of a tree, with its counts and its number.
package struct TreeRoot: Hashable, Sendable {
    package var pointer: PagePointer
    /// How many pages each path from the root to a leaf has; 0 if the tree is empty.
    package var height: Int
    package var entryCount: UInt64
    /// How many entries have a large value, which lies in pages of its own.
    package var largeCount: UInt64
    /// The tree's permanent number, which a rename does not change; 0 for the catalog.
    package var number: UInt64

    /// The catalog's number, which no named tree has.
    package static let catalogNumber: UInt64 = 0

    package static let empty = TreeRoot.empty(number: catalogNumber)

    package static func empty(number: UInt64) -> TreeRoot {
        TreeRoot(pointer: .none, height: 0, entryCount: 0, largeCount: 0, number: number)
    }
}

/// The layout of a tree's root, in its record in the catalog and in a commit record.
package enum TreeRootLayout {
    package static let byteCount = PagePointer.byteCount + 32

    package static func read(_ bytes: ByteView, at offset: Int = 0) -> TreeRoot {
        TreeRoot(
            pointer: PagePointer(bytes, at: offset),
            height: Int(clamping: bytes.load(UInt64.self, at: offset + 24)),
            entryCount: bytes.load(UInt64.self, at: offset + 32),
            largeCount: bytes.load(UInt64.self, at: offset + 40),
            number: bytes.load(UInt64.self, at: offset + 48))
    }

    package static func bytes(_ root: TreeRoot) -> [UInt8] {
        let words = [
            root.pointer.number, root.pointer.birth, root.pointer.check, UInt64(root.height),
            root.entryCount, root.largeCount, root.number,
        ]
        return words.flatMap { $0.littleEndianBytes }
    }

    package static func write(_ root: TreeRoot, _ bytes: MutableByteView, at offset: Int = 0) {
        root.pointer.write(bytes, at: offset)
        bytes.store(UInt64(root.height), at: offset + 24)
        bytes.store(root.entryCount, at: offset + 32)
        bytes.store(root.largeCount, at: offset + 40)
        bytes.store(root.number, at: offset + 48)
    }
}
