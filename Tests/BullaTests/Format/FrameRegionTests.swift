import BullaMemory
import BullaTestSupport
import Testing

@Suite struct `Frames` {
    /// Blocks that fill up move into huge pages meanwhile.
    @Test func `keep their content while the region fills`() throws {
        let count = 2048
        let region = try FrameRegion(frameByteCount: 4096, frameCount: count)
        for frame in 0..<count {
            let content = region.homes.writableContent(frame)
            content.fill(0, content.byteCount)
            content.store(UInt64(frame) &* 0x9E37_79B9, at: 0)
            content.store(UInt64(frame) + 1, at: content.byteCount - 8)
            let block = region.identify(frame, number: UInt64(frame) + 1, check: 7, isOwn: false)
            if let block { region.collapse(block) }
        }
        for frame in 0..<count {
            let content = region.homes.content(
                named: region.name(frame), number: UInt64(frame) + 1, check: 7)
            #expect(content?.load(UInt64.self, at: 0) == UInt64(frame) &* 0x9E37_79B9)
            #expect(content?.load(UInt64.self, at: 4096 - 32 - 8) == UInt64(frame) + 1)
        }
    }

    /// A huge page takes 2 MiB, and one frame alone is not worth that, however often it is used.
    @Test func `fill a block when many of them are used, not when one is used often`() throws {
        let region = try FrameRegion(frameByteCount: 4096, frameCount: 2048)
        func fill(_ frames: Range<Int>) -> Int {
            frames.count {
                region.identify($0, number: UInt64($0) + 1, check: 7, isOwn: false) != nil
            }
        }
        for _ in 0..<1000 { #expect(fill(700..<701) == 0) }
        // All frames together make at least two whole blocks, and each block is filled once.
        #expect(fill(0..<2048) >= 2)
        #expect(fill(0..<2048) == 0)
    }

    /// A block that got a huge page before it was filled need not be moved into one later.
    @Test func `get huge pages in advance where many are filled together, in any order`() throws {
        let region = try FrameRegion(frameByteCount: 4096, frameCount: 4096)
        let blocks = Dictionary(grouping: 0..<4096) { region.block(of: $0) ?? -1 }
        let numbers = blocks.keys.filter { $0 >= 0 }.sorted()
        let whole = try numbers.map { try #require(blocks[$0]) }
        try #require(whole.count >= 4)
        func isDue(_ frames: [Int]) -> Bool {
            frames.contains {
                region.identify($0, number: UInt64($0) + 1, check: 7, isOwn: false) != nil
            }
        }
        // Sixteen frames of each of two blocks, in turn, and fifteen of another.
        region.makeReady(zip(whole[0], whole[1]).prefix(16).flatMap { [$0, $1] })
        region.makeReady(Array(whole[2].prefix(15)))
        #expect(!isDue(whole[0]) && !isDue(whole[1]))
        #expect(isDue(whole[2]) && isDue(whole[3]))
    }

    /// Content that was opened must be validated before it is edited, unlike content that this
    /// process made.
    @Test func `say whose their content is until they are filled anew, however often looked at`()
        throws
    {
        let region = try FrameRegion(frameByteCount: 4096, frameCount: 4)
        let content = region.homes.writableContent(2).view
        _ = region.identify(2, number: 7, check: 1, isOwn: true)
        let answers = [region.countLook(2, limit: 1), region.countLook(2, limit: 1)]
        #expect(answers == [false, true])
        #expect(FrameRegion.isOwn(content))
        _ = region.identify(2, number: 7, check: 2, isOwn: false)
        #expect(!FrameRegion.isOwn(content))
    }
}
