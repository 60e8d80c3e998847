import Bulla
import BullaCipher
import BullaMemory
import BullaTestSupport
import Testing

@Suite struct `A frame of the log` {
    @Test(arguments: Suite.allCases)
    func `follows the one before, whatever it holds`(suite: Suite) throws {
        let log = try LogFixture(suite)
        try withExtendedLifetime(log) {
            let start = log.end
            var record = CommitRecord(history: Identifier(high: 1, low: 2))
            (record.commit, record.pageCount) = (43, 18)
            record.log = LogExtent(
                even: PageRun(start: 16, count: 1), odd: PageRun(start: 17, count: 1))
            try log.append(LogFixture.operations)
            try log.append([], commit: 41)
            try log.append([LogFixture.operations[0]], as: .part, commit: 42, durable: 40)
            try log.append([LogFixture.operations[1]], as: .lastPart, commit: 42, durable: 42)
            try log.append(record, commit: 43)
            var (place, previous, told) = (start, log.header.previous, [String]())
            while let frame = try log.find(at: place, after: previous).frame {
                let count = try frame.kind == .root ? -1 : frame.allOperations().count
                told.append("\(frame.kind) \(frame.commit) \(frame.durable) \(count)")
                if frame.kind == .root {
                    #expect(try frame.root(PageFormat(pageByteCount: 4096)) == record)
                    var none = frame.operations(PageFormat(pageByteCount: 4096))
                    #expect(try none.all().isEmpty)
                } else {
                    #expect(throws: BullaError.self) {
                        try frame.root(PageFormat(pageByteCount: 4096))
                    }
                }
                (place, previous) = (place + frame.byteCount, frame.tag)
            }
            #expect(
                told == [
                    "ordinary 40 39 6", "ordinary 41 39 0", "part 42 40 1", "lastPart 42 42 1",
                    "root 43 43 -1",
                ])
            #expect(place == log.end && previous == log.previous)
            #expect(try log.find(at: place, after: previous).absence == .notNext)
        }
    }

    @Test(arguments: Suite.allCases)
    func `does not hold when any of its bits was flipped`(suite: Suite) throws {
        let log = try LogFixture(suite)
        let range = try log.append(LogFixture.operations)
        for bit in 0..<range.count * 8 {
            log.flip(bit, of: range.lowerBound)
            let finding = try log.find(at: range.lowerBound, after: log.header.previous)
            switch finding {
            case .whole: Issue.record("bit \(bit)")
            // Only in a plain frame can a length be changed to another possible one.
            case .cutOff: #expect(suite == .plain && bit < 32)
            case .absent(let reason): #expect(reason != .noRoom)
            }
            log.flip(bit, of: range.lowerBound)
        }
        #expect(try log.find(at: range.lowerBound, after: log.header.previous).frame != nil)
    }

    @Test(arguments: Suite.allCases)
    func `cut at any byte asks for the rest, and no more`(suite: Suite) throws {
        let log = try LogFixture(suite)
        let range = try log.append(LogFixture.operations)
        for count in 0..<range.count {
            let finding = try log.find(
                at: range.lowerBound, after: log.header.previous, count: count)
            let expected = count < FrameFormat.byteMinimum ? FrameFormat.byteMinimum : range.count
            #expect(finding.needed == expected)
        }
        let whole = try log.find(
            at: range.lowerBound, after: log.header.previous, count: range.count)
        #expect(whole.frame?.byteCount == range.count)
    }

    @Test(arguments: Suite.allCases)
    func `torn at any byte does not hold`(suite: Suite) throws {
        let log = try LogFixture(suite)
        let range = try log.append(LogFixture.operations)
        let whole = log.half.bytes.view.slice(range.lowerBound, range.count).copied()
        var random = TestRandom(seed: 3)
        for count in 0..<range.count {
            for filler in [
                random.uniqueBytes(range.count), [UInt8](repeating: 0, count: range.count),
            ] {
                let torn = Array(whole[..<count] + filler[count...])
                // The last bytes of a plain frame are zeros anyway.
                guard torn != whole else { continue }
                torn.withView { log.half.bytes.copy($0, to: range.lowerBound) }
                let finding = try log.find(at: range.lowerBound, after: log.header.previous)
                #expect(finding.absence != nil || finding.needed != nil, "cut at \(count)")
            }
        }
    }

    @Test(arguments: Suite.allCases)
    func `does not hold in another place, half or order`(suite: Suite) throws {
        let log = try LogFixture(suite)
        let first = try log.append(LogFixture.operations)
        let middle = log.previous
        let second = try log.append(LogFixture.operations, commit: 41)
        #expect(first.count == second.count)
        // Swap the two frames.
        let bytes = log.half.bytes
        bytes.copy(bytes.view.slice(second.lowerBound, second.count), to: log.end)
        bytes.copy(bytes.view.slice(first.lowerBound, first.count), to: second.lowerBound)
        bytes.copy(bytes.view.slice(log.end, second.count), to: first.lowerBound)
        for range in [first, second] {
            for tag in [log.header.previous, middle, log.previous] {
                let finding = try log.find(at: range.lowerBound, after: tag)
                #expect(finding.absence != nil)
            }
        }
        // The second frame does not hold elsewhere in the half either, nor in another segment.
        #expect(try log.find(at: log.end, after: middle).absence == .content)
        let reader = FrameReader(log.cipher, sequence: log.header.sequence + 1)
        let finding = try reader.find(
            in: bytes.view.slice(log.end, second.count), at: UInt64(second.lowerBound),
            limit: UInt64(second.count), after: middle
        ) { count throws(BullaError) in log.room.bytes.slice(0, count) }
        #expect(finding.absence == .content)
    }

    @Test(arguments: Suite.allCases)
    func `does not hold in another file, segment or history`(suite: Suite) throws {
        let file = try FileIdentifier.random()
        let log = try LogFixture(suite, file: file)
        let range = try log.append(LogFixture.operations)
        let frame = log.half.bytes.view.slice(range.lowerBound, range.count)
        // The first log is of the same file, but with other keys (if it is plain, with other random
        // bytes); the second is of another file.
        for other in [try LogFixture(suite, file: file), try LogFixture(suite)] {
            other.half.bytes.copy(frame, to: range.lowerBound)
            let finding = try other.find(at: range.lowerBound, after: log.header.previous)
            #expect(finding.absence == (suite == .plain ? .content : .notNext))
        }
    }

    @Test(arguments: Suite.allCases)
    func `does not hold after another tag`(suite: Suite) throws {
        let log = try LogFixture(suite)
        let range = try log.append(LogFixture.operations)
        let tag = [UInt8](byteCount: 16) { log.header.previous.store(in: $0, at: 0) }
        for bit in 0..<128 {
            var other = tag
            other[bit / 8] ^= 1 << (bit % 8)
            let finding = try log.find(at: range.lowerBound, after: try LogFixture.tag(other))
            #expect(finding.absence == (bit < 64 ? .notNext : .content))
        }
    }

    @Test(arguments: Suite.allCases)
    func `is not taken out of random bytes`(suite: Suite) throws {
        let log = try LogFixture(suite)
        var random = TestRandom(seed: 9)
        let bytes = random.uniqueBytes(100_000 + 4096)
        try bytes.withView { bytes in
            for start in 0..<100_000 {
                let finding = try log.reader.find(
                    in: bytes.slice(start, 4096), at: UInt64(start), limit: 4096,
                    after: log.header.previous
                ) { count throws(BullaError) in log.room.bytes.slice(0, count) }
                guard finding.absence == .notNext else {
                    Issue.record("byte \(start)")
                    return
                }
            }
        }
    }

    @Test(arguments: Suite.allCases)
    func `is not taken out of zeros, not even as the first one`(suite: Suite) throws {
        let log = try LogFixture(suite)
        log.half.bytes.fill(0, 4096)
        let finding = try log.find(at: 0, after: .none)
        #expect(finding.absence == (suite == .plain ? .head : .notNext))
    }

    @Test(arguments: Suite.allCases)
    func `has no room at the end of a half`(suite: Suite) throws {
        let log = try LogFixture(suite)
        for left in 0..<FrameFormat.byteMinimum {
            let finding = try log.find(
                at: LogFixture.halfByteCount - left, after: log.header.previous)
            #expect(finding.absence == .noRoom)
        }
    }

    @Test func `that claims more than the half has asks for nothing`() throws {
        // An attacker can change the length only of a plain frame.
        let log = try LogFixture(.plain)
        let range = try log.append(LogFixture.operations)
        for claim: UInt32 in [0, 1, 75, 77, 1 << 20, 1 << 30, .max] {
            log.half.bytes.store(claim, at: range.lowerBound)
            let finding = try log.find(at: range.lowerBound, after: log.header.previous)
            #expect(finding.absence == .head, "\(claim)")
        }
    }

    @Test(arguments: Suite.allCases)
    func `leaves zeros where it does not hold`(suite: Suite) throws {
        let log = try LogFixture(suite)
        let range = try log.append(LogFixture.operations)
        log.flip(0, of: range.upperBound - 16)
        log.room.bytes.fill(0, 4096, with: 7)
        #expect(try log.find(at: range.lowerBound, after: log.header.previous).absence == .content)
        let content = log.room.bytes.view.slice(0, range.count - FrameField.extraByteCount)
        #expect(content.isZero)
    }

    @Test(arguments: Suite.allCases)
    func `shows its length only in steps`(suite: Suite) throws {
        let log = try LogFixture(suite)
        var lengths: Set<Int> = []
        let key = "k".utf8.map { $0 }
        try key.withView { key in
            for count in 0..<2000 {
                let value = log.room.bytes.view.slice(0, count)
                let start = log.end
                let range = try log.append([.put(tree: 1, key: key, value: value)])
                lengths.insert(range.count)
                #expect(range.lowerBound == start)
                if log.end > LogFixture.halfByteCount - 8192 { break }
            }
        }
        #expect(lengths.count < 50)
    }

    @Test(arguments: Suite.allCases)
    func `that holds what no writer seals is an error`(suite: Suite) throws {
        let log = try LogFixture(suite)
        // Frames are sealed without the builder; each has a count, a commit, the durable commit,
        // and a byte of padding.
        let contents: [(UInt32, UInt64, UInt64, UInt8)] = [
            (15, 2, 1, 0), (29, 2, 1, 0), (.max, 2, 1, 0), (16, 2, 3, 0), (16, .max, 1, 0),
            (16, 2, 1, 1),
        ]
        for (count, commit, durable, padding) in contents {
            let content = log.room.bytes.slice(0, 32)
            content.fill(0, 32)
            content.store(count, at: 0)
            content.store(commit, at: 4)
            content.store(durable, at: 12)
            content.store(padding, at: 31)
            let start = log.end
            _ = try log.cipher.seal(
                content.view,
                context: FrameContext(
                    sequence: log.header.sequence, offset: UInt64(start),
                    previous: log.previous, kind: 1),
                into: log.half.bytes.slice(start, FrameFormat.byteMinimum))
            #expect { try log.find(at: start, after: log.previous) } throws: { error in
                (error as? BullaError)?.code == .corrupted
            }
        }
    }
}
