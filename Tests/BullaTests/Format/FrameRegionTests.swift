import BullaMemory
import BullaTestSupport
import Testing

@Suite struct `Frames` {
    /// Blocks that fill up are moved into huge pages meanwhile.
    @Test func `keep their content while the region fills`() throws {
        let count = 2048
        let region = try FrameRegion(frameByteCount: 4096, frameCount: count)
        for frame in 0..<count {
            let content = region.writableContent(frame)
            content.fill(0, content.byteCount)
            content.store(UInt64(frame) &* 0x9E37_79B9, at: 0)
            content.store(UInt64(frame) + 1, at: content.byteCount - 8)
            let block = region.identify(frame, number: UInt64(frame) + 1, check: 7)
            if let block { region.collapse(block) }
        }
        for frame in 0..<count {
            let content = region.content(
                named: region.name(frame), number: UInt64(frame) + 1, check: 7)
            #expect(content?.load(UInt64.self, at: 0) == UInt64(frame) &* 0x9E37_79B9)
            #expect(content?.load(UInt64.self, at: 4096 - 32 - 8) == UInt64(frame) + 1)
        }
    }
}
