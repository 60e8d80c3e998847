import Bulla
import BullaTestSupport
import Foundation
import Testing

/// Files of format version 1 as they were once written: a change of the format shows here.
///
/// `BULLA_GOLDEN=1` writes them again, which is right only before a version is released.
@Suite struct `A golden file` {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().appendingPathComponent("Golden")
    private static let isWriting = ProcessInfo.processInfo.environment["BULLA_GOLDEN"] == "1"

    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test(arguments: StoreKind.allCases)
    func `of version 1 holds what was written into it`(kind: StoreKind) throws {
        let file = Self.folder.appendingPathComponent("v1-\(kind.rawValue).bulla")
        if Self.isWriting { try write(kind, to: file) }
        try scratch.write([UInt8](try Data(contentsOf: file)), to: "golden")
        let path = scratch.path("golden")
        #expect(try StoreContents(of: path, kind) == Self.contents)
        let store = try kind.open(path, pageByteCount: 4096)
        #expect(try store.info.formatVersion == 1)
        #expect(try store.check().isSound)
        try store.write {
            try $0.put("value", forKey: "new", in: try $0.openOrCreateTree(named: "new"))
        }
        #expect(try store.check().isSound)
        try store.close()
    }

    /// The trees of the file: one with many entries, one with values of every kind, one with the
    /// shortest and the longest keys, and an empty one.
    private static let contents: StoreContents = {
        var contents = StoreContents(trees: [:])
        contents.trees[Array("pets".utf8)] = (0..<300).map { number in
            let key = Array("key \(1000 + number)".utf8)
            return StoreContents.Entry(key: key, value: Array("value \(number)".utf8))
        }
        contents.trees[Array("assets".utf8)] = [0, 1, 1336, 1337, 4064, 4065, 9000].map { count in
            let key = Array("\(10_000 + count)".utf8)
            return StoreContents.Entry(key: key, value: (0..<count).map { UInt8($0 % 251) })
        }
        contents.trees[[0, 0xFF]] = [1, 2, 1023, 1024].map { count in
            StoreContents.Entry(key: [UInt8](repeating: 0, count: count), value: [])
        }
        contents.trees[Array("empty".utf8)] = []
        return contents
    }()

    private func write(_ kind: StoreKind, to file: URL) throws {
        let path = scratch.path("fresh")
        let store = try kind.open(path, pageByteCount: 4096) {
            $0.fixLog(halfByteCount: 16 << 10)
        }
        for (name, entries) in Self.contents.trees.sorted(by: { order($0.key, $1.key) < 0 }) {
            // Write each tree in two commits, so that pages are freed and reused.
            try store.write { change in
                let tree = try change.openOrCreateTree(named: name)
                for entry in entries { try change.put("former", forKey: entry.key, in: tree) }
            }
            try store.write { change in
                let tree = try change.tree(named: name)
                for entry in entries { try change.put(entry.value, forKey: entry.key, in: tree) }
            }
        }
        let end = Int(try store.info.pageCount) * 4096
        try store.close()
        // What follows the last page was only preallocated.
        try Data(scratch.bytes("fresh").prefix(end)).write(to: file)
    }
}
