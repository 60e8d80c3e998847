import BullaCipher
import BullaMemory
import Testing

@Suite struct `Kernel random` {
    @Test(arguments: [1, 12, 255, 256, 257, 3072, 100_000], [false, true])
    func `fills all that it is asked to fill, and nothing behind it`(
        byteCount: Int, isExpanded: Bool
    ) throws {
        var seen = [UInt8](repeating: 0, count: byteCount)
        // A byte that stays zero in eight draws is a byte that is never filled.
        for _ in 0..<8 {
            let bytes = Bytes(count: byteCount + 8)
            let view = bytes.mutableView.slice(0, byteCount)
            try isExpanded ? KernelRandom.expand(into: view) : KernelRandom.fill(view)
            for index in 0..<byteCount { seen[index] |= bytes[index] }
            #expect(bytes.array.suffix(8).allSatisfy { $0 == 0 })
        }
        #expect(seen.allSatisfy { $0 != 0 })
    }

    @Test func `gives no number twice`() throws {
        let numbers = try (0..<1000).map { _ in try KernelRandom.uint64() }
        #expect(Set(numbers).count == 1000)
        let expanded = try (0..<1000).map { _ in
            let bytes = Bytes(count: 16)
            try KernelRandom.expand(into: bytes.mutableView)
            return bytes.array
        }
        #expect(Set(expanded).count == 1000)
        #expect(try FileIdentifier.random() != FileIdentifier.random())
    }

    @Test func `gives file identifiers that survive the file`() throws {
        let identifier = try FileIdentifier.random()
        let bytes = Bytes(count: 24)
        identifier.store(in: bytes.mutableView, at: 8)
        #expect(FileIdentifier(bytes.view.slice(8, 16)) == identifier)
        #expect(Array(bytes.array.suffix(16)) == identifier.bytes)
    }
}
