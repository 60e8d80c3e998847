import BullaMemory
import Testing

@Suite struct `Reserved address space` {
    @Test(arguments: [4096, 1 << 20, (1 << 20) + 4096, 3 << 20, 9 << 20, 4 << 30])
    func `is memory as far as it was prepared`(byteCount: Int) throws {
        let region = try ReservedRegion(byteCount: byteCount)
        #expect(region.bytes.byteCount == byteCount)
        let used = min(byteCount, 8 << 20)
        var (next, calls) = (0, 0)
        while used > next {
            let former = next
            next = try region.prepare(next)
            #expect(next > former)
            for offset in stride(from: former, to: min(next, used), by: 4096) {
                #expect(region.bytes.view.load(UInt64.self, at: offset) == 0)
                region.bytes.store(UInt64(offset) + 1, at: offset)
            }
            calls += 1
        }
        #expect(calls <= 6)
        for offset in stride(from: 0, to: used, by: 4096) {
            #expect(region.bytes.view.load(UInt64.self, at: offset) == UInt64(offset) + 1)
        }
        region.wipe()
        for offset in stride(from: 0, to: used, by: 4096) {
            #expect(region.bytes.view.load(UInt64.self, at: offset) == 0)
        }
    }

    @Test func `is what is wished where nothing limits it, and what is needed at least`() {
        let byteCount = ReservedRegion.affordableByteCount(4 << 30, needed: 64 << 20)
        #expect((64 << 20...4 << 30).contains(byteCount))
        #expect(ReservedRegion.affordableByteCount(1 << 20, needed: 1 << 20) == 1 << 20)
    }
}
