package import Bulla

/// Contents of pages of 4096 bytes, right or wrong, made only from the documented layout.
package enum ForgedPage {
    package static let byteCount = 4064
    package static let largeMark: UInt32 = 1 << 31

    private struct Cell {
        var key: [UInt8]
        var bytes: [UInt8]
    }

    package static func leaf(_ keys: [String], value: [UInt8] = [0x76]) -> [UInt8] {
        leaf(keys.map { Array($0.utf8) }.map { ($0, UInt32(value.count), value) })
    }

    package static func leaf(_ entries: [(key: [UInt8], word: UInt32, payload: [UInt8])]) -> [UInt8]
    {
        let cells = entries.map { entry in
            var bytes: [UInt8] = []
            bytes.append(little: entry.word)
            return Cell(key: entry.key, bytes: bytes + entry.key + entry.payload)
        }
        return page(kind: 1, level: 0, cells)
    }

    package static func branch(
        _ children: [(key: String, pointer: PagePointer)], level: UInt8
    ) -> [UInt8] {
        let cells = children.map { child in
            Cell(key: Array(child.key.utf8), bytes: pointer(child.pointer) + Array(child.key.utf8))
        }
        return page(kind: 2, level: level, cells)
    }

    package static func index(_ children: [PagePointer], level: UInt8) -> [UInt8] {
        var bytes: [UInt8] = [3, level]
        bytes.append(little: UInt16(children.count))
        bytes += [UInt8](repeating: 0, count: 12) + children.flatMap { pointer($0) }
        return padded(bytes)
    }

    package static func padded(_ bytes: [UInt8]) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: byteCount - bytes.count)
    }

    package static func pointer(_ pointer: PagePointer) -> [UInt8] {
        pointer.number.bytes + pointer.birth.bytes + pointer.check.bytes
    }

    package static func record(
        _ root: TreeRoot, height: UInt64? = nil, number: UInt64? = nil
    ) -> [UInt8] {
        pointer(root.pointer) + (height ?? UInt64(root.height)).bytes + root.entryCount.bytes
            + root.largeCount.bytes + (number ?? root.number).bytes
    }

    package static func descriptor(
        _ root: PagePointer, byteCount: UInt64, height: UInt64
    ) -> [UInt8] { byteCount.bytes + height.bytes + pointer(root) }

    private static func page(kind: UInt8, level: UInt8, _ cells: [Cell]) -> [UInt8] {
        var bytes = padded([kind, level])
        var start = byteCount
        for (index, cell) in cells.enumerated() {
            start -= cell.bytes.count
            bytes.replace(at: start, with: cell.bytes)
            let slot = 16 + index * 8
            bytes.store(head(cell.key), at: slot)
            bytes.store(UInt16(start), at: slot + 4)
            bytes.store(UInt16(cell.key.count), at: slot + 6)
        }
        bytes.store(UInt16(cells.count), at: 2)
        bytes.store(UInt16(start), at: 4)
        return bytes
    }

    /// The first four bytes of a key, as a number that sorts like them.
    private static func head(_ key: [UInt8]) -> UInt32 {
        (0..<4).reduce(0) { $0 << 8 | UInt32($1 < key.count ? key[$1] : 0) }
    }
}

extension UInt64 {
    fileprivate var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(little: self)
        return bytes
    }
}
