import Bulla
import BullaTestSupport
import Testing

/// The file has the header twice, and any tool finds a store by either copy.
@Suite struct `A header of which one copy is damaged` {
    private let scratch: Scratch
    private let bytes: [UInt8]
    private let kind: StoreKind = .gcm

    init() throws {
        scratch = try Scratch()
        try scratch.makeStore("s.bulla", kind)
        bytes = try scratch.bytes("s.bulla")
    }

    private func open(_ access: StoreOptions.Access) throws -> Store {
        try kind.open(scratch.path("s.bulla")) { $0.access = access }
    }

    private func expectReadable(_ note: String) throws {
        let store = try open(.readOnly)
        let value = try store.read { try $0.value(forKey: "key 7", in: try $0.tree(named: "pets")) }
        #expect(value == Array("value 7".utf8), "\(note)")
        try store.close()
    }

    @Test func `by any one bit of the first block hides the store from nobody`() throws {
        let header = HeaderField.byteCount * 8
        // The rest of the block, after the header, is empty, and none of its bits matters.
        let step = TestMode.pick(short: 509, long: 1)
        for bit in Array(0..<header) + Array(stride(from: header, to: 4096 * 8, by: step)) {
            var flipped = bytes
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            try scratch.write(flipped, to: "s.bulla")
            try expectReadable("bit \(bit)")
            guard bit < 64 || bit % 61 == 0 else { continue }
            let report = try Store.check(at: scratch.path("s.bulla"), key: try kind.key())
            #expect(report.defects.map(\.kind) == (bit < header ? [.header] : []), "bit \(bit)")
        }
    }

    @Test(arguments: [512, 4096, 32768], [0, 32768])
    func `by zeros in its place hides the store from no tool`(count: Int, start: Int) throws {
        guard count <= 4096 || start == 0 else { return }
        var damaged = bytes
        for index in start..<start + count { damaged[index] = 0 }
        try scratch.write(damaged, to: "s.bulla")
        try expectReadable("read")
        let path = scratch.path("s.bulla")
        let report = try Store.check(at: path, key: try kind.key())
        #expect(report.defects.contains { $0.kind == .header })
        let saved = try Store.salvage(
            from: path, to: scratch.path("saved.bulla"), key: try kind.key())
        #expect(saved.entryCount > 7)
        let store = try open(.readOnly)
        _ = try store.info
        _ = try store.backup(to: scratch.path("backup"))
        try store.close()
        try Store.restore(
            from: [scratch.path("backup")], to: scratch.path("restored.bulla"),
            key: try kind.key())
        let restored = try Store.check(at: scratch.path("restored.bulla"), key: try kind.key())
        #expect(!restored.defects.contains { $0.kind == .header })
    }

    @Test(arguments: [0, 32768])
    func `is written anew by a writer that is alone, and by no reader`(start: Int) throws {
        var damaged = bytes
        damaged[start + 3] ^= 0x20
        try scratch.write(damaged, to: "s.bulla")
        try expectReadable("read")
        #expect(try scratch.bytes("s.bulla") == damaged)
        try open(.readWrite).close()
        let length = HeaderField.byteCount
        let repaired = Array(try scratch.bytes("s.bulla")[start..<start + length])
        #expect(repaired == Array(bytes[start..<start + length]))
        #expect(try Store.check(at: scratch.path("s.bulla"), key: try kind.key()).isSound)
    }
}
