import Bulla
import Foundation
import Testing

/// A stranger writes to the word of the coordination file that says which commit was published.
@Suite struct `A published commit whose number a stranger sets back` {
    private static let published = 128

    @Test(arguments: StoreKind.allCases)
    func `is built on by the next writer, and not lost`(kind: StoreKind) throws {
        let scratch = try Scratch()
        let first = try kind.open(scratch.path("s.bulla"))
        // It has its own view of the board, as another process would.
        let second = try kind.open(scratch.path("s.bulla"))
        try first.write { try $0.put("base", "1", in: try $0.createTree("t")) }
        let before = try second.read(.published) { $0.commit }
        try first.write(durability: .relaxed(within: .seconds(3600))) {
            try $0.put("first", "1", in: try $0.tree("t"))
        }
        let file = try FileHandle(
            forUpdating: URL(fileURLWithPath: scratch.path("s.bulla.bulla-world")))
        try file.seek(toOffset: UInt64(Self.published))
        try file.write(contentsOf: Data(before.bytes))
        try file.close()
        try second.write { try $0.put("second", "1", in: try $0.tree("t")) }
        // What is flushed now is what the first one was told, and the second.
        let keys = ["base", "first", "second"]
        let values = try second.read { snapshot in
            let tree = try snapshot.tree("t")
            return try keys.map { try snapshot.get($0, in: tree) }
        }
        #expect(values == [Array("1".utf8), Array("1".utf8), Array("1".utf8)])
        #expect(try second.read { $0.commit } == before + 2)
        try second.close()
        try first.close()
    }
}
