import BullaMemory
import BullaTestSupport
import Testing

@Suite struct `Changed pages` {
    @Test func `keep their bytes and labels while others come`() throws {
        let arena = try PageArena(pageByteCount: 64)
        let lender = try Lender(count: 600, byteCount: 64)
        var indices: [Int] = []
        for number in 0..<1200 {
            let isLent = number % 2 == 0
            let index =
                isLent
                ? try arena.allocate(in: lender.page(number / 2), loan: number / 2)
                : try arena.allocate()
            arena.page(index).store(UInt64(number), at: 56)
            arena.setLabel(UInt64(number) << 32, of: index)
            indices.append(index)
        }
        #expect(Set(indices).count == 1200)
        #expect(arena.count == 1200)
        for (number, index) in indices.enumerated() {
            #expect(arena.page(index).view.load(UInt64.self, at: 56) == UInt64(number))
            #expect(arena.label(index) == UInt64(number) << 32)
        }
    }

    @Test func `that are given up serve others`() throws {
        let arena = try PageArena(pageByteCount: 64)
        let lender = try Lender(count: 1, byteCount: 64)
        let own = try arena.allocate()
        let lent = try arena.allocate(in: lender.page(0), loan: 9)
        arena.free(lent)
        arena.free(own)
        #expect(arena.count == 0)
        #expect(arena.allocateLent() == lent)
        #expect(arena.allocateLent() == nil)
        #expect(try arena.allocate() == own)
        #expect(arena.count == 2)
    }

    @Test func `give back what was lent, once`() throws {
        let arena = try PageArena(pageByteCount: 64)
        let lender = try Lender(count: 3, byteCount: 64)
        let lent = try (0..<3).map { number in
            try arena.allocate(in: lender.page(number), loan: number + 7)
        }
        let own = try arena.allocate()
        // A page that is in use is freed when its memory is given back.
        #expect(arena.giveBack(lent[1]) == 8)
        #expect(arena.giveBack(own) == nil)
        #expect(arena.count == 3)
        // Pages that are not in use are given back together.
        arena.free(lent[0])
        #expect(arena.giveBackUnused() == [7])
        #expect(arena.giveBackUnused() == [])
        arena.free(lent[2])
        arena.free(own)
        #expect(arena.giveBackUnused() == [9])
        #expect(arena.count == 0)
        // Their indices are reused, with other memory.
        let again = try arena.allocate(in: lender.page(0), loan: 20)
        #expect(lent.contains(again))
        #expect(arena.label(again) == 0)
    }

    /// Memory that somebody else owns.
    private struct Lender {
        private let buffer: ScratchBuffer
        private let byteCount: Int

        init(count: Int, byteCount: Int) throws {
            buffer = try ScratchBuffer(byteCount: count * byteCount)
            self.byteCount = byteCount
        }

        func page(_ number: Int) -> MutableByteView {
            buffer.bytes.slice(number * byteCount, byteCount)
        }
    }
}
