import Bulla
import BullaCipher
import BullaMemory
import BullaTestSupport
import Testing

@Suite struct `A segment's header` {
    /// Both copies of a header, in memory.
    private final class Copies {
        let log: LogFixture
        let buffer: ScratchBuffer

        init(_ suite: Suite) throws {
            log = try LogFixture(suite)
            buffer = try ScratchBuffer(byteCount: 8192)
            try write(log.header, 0)
            try write(log.header, 1)
        }

        func write(_ header: SegmentHeader, _ copy: Int) throws {
            try log.seal.write(header, segment: log.segment, copy: copy, into: bytes(copy))
        }

        func bytes(_ copy: Int) -> MutableByteView {
            buffer.bytes.slice(copy * 4096, SegmentField.byteCount)
        }

        func find(half: Int = 0, segment: UInt64? = nil) throws -> SegmentFinding {
            try log.seal.find(
                (bytes(0).view, bytes(1).view), half: half, segment: segment ?? log.segment)
        }

        /// What is found in one copy alone, while the other is overwritten.
        func find(only copy: Int) throws -> SegmentFinding {
            let kept = bytes(1 - copy).view.copied()
            bytes(1 - copy).fill(0, SegmentField.byteCount, with: 0xAA)
            defer { kept.withView { bytes(1 - copy).copy($0, to: 0) } }
            return try find()
        }
    }

    @Test func `has one sector, without gaps`() {
        #expect(SegmentField.byteCount == 512)
        #expect(SegmentHeader.offset(of: 1, segment: 8192) == 12288)
        #expect(SegmentHeader.frameOffset == 4096 + 512)
    }

    @Test(arguments: Suite.allCases)
    func `says what was written, from either copy`(suite: Suite) throws {
        let copies = try Copies(suite)
        let expected = SegmentFinding.headers([copies.log.header])
        #expect(try copies.find() == expected)
        #expect(try copies.find(only: 0) == expected)
        #expect(try copies.find(only: 1) == expected)
    }

    @Test(arguments: Suite.allCases)
    func `does not hold when any of its bits was flipped`(suite: Suite) throws {
        let copies = try Copies(suite)
        copies.bytes(1).fill(0, SegmentField.byteCount)
        for bit in 0..<SegmentField.byteCount * 8 {
            let place = bit / 8
            let byte = copies.bytes(0).view.load(UInt8.self, at: place)
            copies.bytes(0).store(byte ^ 1 << (bit % 8), at: place)
            let expected: SegmentRefusal =
                switch place {
                case ..<SegmentField.formatVersion.offset: .notAHeader
                case ..<SegmentField.copy.offset: .foreign
                case ..<SegmentField.history.offset: .damaged
                case ..<SegmentField.random.offset: .foreign
                default: .damaged
                }
            #expect(try copies.find() == .refused(expected), "bit \(bit)")
            copies.bytes(0).store(byte, at: place)
        }
    }

    @Test(arguments: Suite.allCases)
    func `does not hold in another place`(suite: Suite) throws {
        let copies = try Copies(suite)
        #expect(try copies.find(half: 1) == .refused(.damaged))
        #expect(try copies.find(segment: 4096) == .refused(.damaged))
        // Swap the two copies.
        let first = copies.bytes(0).view.copied()
        copies.bytes(0).copy(copies.bytes(1).view, to: 0)
        first.withView { copies.bytes(1).copy($0, to: 0) }
        #expect(try copies.find() == .refused(.damaged))
        for copy in 0..<2 { copies.bytes(copy).store(UInt8(copy), at: SegmentField.copy.offset) }
        #expect(try copies.find() == .refused(.damaged))
    }

    @Test(arguments: Suite.allCases)
    func `does not hold in another file, history or suite`(suite: Suite) throws {
        let copies = try Copies(suite)
        // The other file has other keys; a plain file has no keys, but it has another identifier.
        let other = try Copies(suite)
        for copy in 0..<2 { other.bytes(copy).copy(copies.bytes(copy).view, to: 0) }
        #expect(try other.find() == .refused(.damaged))
        for opener in Suite.allCases where opener != suite {
            let other = try Copies(opener)
            for copy in 0..<2 { other.bytes(copy).copy(copies.bytes(copy).view, to: 0) }
            #expect(try other.find() == .refused(.foreign))
            // The header does not hold even if it claims the opener's suite.
            for copy in 0..<2 {
                other.bytes(copy).store(opener.rawValue, at: SegmentField.suite.offset)
            }
            #expect(try other.find() == .refused(.damaged))
        }
    }

    @Test(arguments: Suite.allCases)
    func `is not found in other bytes`(suite: Suite) throws {
        let copies = try Copies(suite)
        var random = TestRandom(seed: 5)
        for _ in 0..<100 {
            for copy in 0..<2 {
                random.uniqueBytes(SegmentField.byteCount).withView {
                    copies.bytes(copy).copy($0, to: 0)
                }
            }
            #expect(try copies.find() == .refused(.notAHeader))
        }
        for count in 0..<SegmentField.byteCount {
            try copies.write(copies.log.header, 0)
            let cut = copies.bytes(0).view.slice(0, count)
            #expect(
                try copies.log.seal.find((cut, cut), half: 0, segment: copies.log.segment)
                    == .refused(.notAHeader))
        }
    }

    @Test(arguments: Suite.allCases)
    func `of which a second one was torn says both, the later use first`(suite: Suite) throws {
        let copies = try Copies(suite)
        var later = copies.log.header
        later.sequence += 2
        later.world = Identifier(high: 5, low: 5)
        for copy in 0..<2 {
            try copies.write(copies.log.header, 1 - copy)
            try copies.write(later, copy)
            #expect(try copies.find() == .headers([later, copies.log.header]))
        }
        var sibling = copies.log.header
        sibling.random = try .drawn()
        try copies.write(sibling, 0)
        try copies.write(copies.log.header, 1)
        #expect(try copies.find() == .headers([sibling, copies.log.header]))
    }

    @Test(arguments: Suite.allCases)
    func `that no writer writes is damaged`(suite: Suite) throws {
        let copies = try Copies(suite)
        // The place up to which the log is durable cannot have a larger sequence number than the
        // header.
        var header = copies.log.header
        header.durablePlace.sequence = header.sequence + 1
        for copy in 0..<2 { try copies.write(header, copy) }
        #expect(try copies.find() == .refused(.damaged))
    }

    @Test(arguments: [Suite.aes256GCM, .aes256CTRHMACSHA256])
    func `shows nothing of what it says`(suite: Suite) throws {
        let copies = try Copies(suite)
        let header = copies.log.header
        let bytes = copies.bytes(0).view.copied() + copies.bytes(1).view.copied()
        let secrets = [
            header.random.bytes, header.world.bytes, Array(header.durableCommit.bytes),
            Array(UInt64(777).bytes),
        ]
        for secret in secrets {
            let isThere = bytes.indices.dropLast(secret.count).contains { start in
                bytes[start..<start + secret.count].elementsEqual(secret)
            }
            #expect(!isThere)
        }
        #expect(!bytes[32..<512].elementsEqual(bytes[544..<1024]))
    }
}
