import Bulla
import BullaTestSupport
import Testing

@Suite struct `A file whose name is too long` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func name(_ byteCount: Int) -> String { String(repeating: "n", count: byteCount) }

    @Test(arguments: [231, 240, 255])
    func `for those beside it is refused by its own name before anything is made`(
        count: Int
    ) throws {
        let error = refusal { _ = try StoreKind.gcm.open(scratch.path(name(count))) }
        #expect(error?.code == .io)
        #expect(error.says("\(name(count)): its name has \(count) bytes"), "\(error as Any)")
        #expect(try scratch.names().isEmpty)
    }

    @Test func `for a copy is refused by its own name`() throws {
        let store = try StoreKind.plain.open(scratch.path("s"))
        let target = scratch.path(name(205))
        for error in [
            refusal { try store.compact(to: target, key: nil) },
            refusal { _ = try store.backup(to: target) },
        ] {
            #expect(error?.code == .io)
            #expect(error.says("\(name(205)): its name has 205 bytes"))
        }
        let there = try scratch.names()
        #expect(there.allSatisfy { $0.hasPrefix("s") })
    }

    @Test func `by one byte is none that is one byte shorter`() throws {
        try StoreKind.gcm.open(scratch.path(name(230))).close()
        let store = try StoreKind.plain.open(scratch.path("s"))
        try store.compact(to: scratch.path(name(204)), key: nil)
    }
}
